import { describe, expect, test } from "vitest"
import type { ModelPart } from "../../../src/core/model/language-model.ts"
import { hostPorts } from "../../../src/core/ports.ts"
import type { Message } from "../../../src/core/span.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

const result = `[{"flight": "HAT136", "price": 141},\n {"flight": "HAT039"}]\n${"seat ".repeat(100)}`
const search = defineTool({
  name: "flights.search",
  description: "",
  execute: ({ day }: { day?: string }) => `${day}: ${result}`,
})

const call = (id: string, day: string): ModelPart => ({
  type: "tool-call",
  call: { id, name: "flights_search", args: JSON.stringify({ day }) },
})

/** An agent whose turns each search flights, in parallel for two days, and then answer. */
function flightAgent(turns: number, profile: ProfileInput, mode: "native" | "json" = "native") {
  const steps = Array.from({ length: turns }, (_, at): ScriptedStep[] => {
    const calls = mode === "native" ? [call(`a${at}`, `day ${at}`), call(`b${at}`, `night ${at}`)] : undefined
    return calls ? [calls, `Answer ${at}.`] : [callTool("flights.search", { day: `day ${at}` }), finish(`Answer ${at}.`)]
  })
  const model = scriptedModel(steps.flat(), { capabilities: { tools: mode === "native" } })
  const made = testAgent(model, { dialect: "layered", loop: { mode: "auto" }, ...profile }, { tools: [search] })
  const send = async () => {
    for (let at = 0; at < turns; at++) {
      const { error } = (await made.session.send(`Question ${at}?`).result) as { error?: Error }
      if (error) throw error
    }
  }
  return { ...made, model, send }
}

/** Every result stands behind a call of its id, and every call has its results. */
function expectPairs(messages: readonly Message[]): void {
  let open: string[] = []
  for (const { toolCalls, toolCallId } of messages) {
    if (toolCallId === undefined) expect(open).toEqual([])
    else expect(open.shift()).toBe(toolCallId)
    if (toolCalls) open = toolCalls.map(({ id }) => id)
  }
  expect(open).toEqual([])
}

describe("T29 the tool runs of earlier turns", () => {
  test.each(["layered", "soul", "stack", "stack-cached", "root"])(
    "T29 stand in history as the model's own calls where the loop is native, in %s",
    async (dialect) => {
      const { model, send } = flightAgent(2, { dialect })
      await send()
      const messages = model.requests[2]?.messages ?? []
      expectPairs(messages)
      const [results, calls] = [
        messages.filter(({ role }) => role === "tool"),
        messages.flatMap(({ toolCalls = [] }) => toolCalls),
      ]
      expect(calls).toEqual([
        { id: "a0", name: "flights_search", args: '{"day":"day 0"}' },
        { id: "b0", name: "flights_search", args: '{"day":"night 0"}' },
      ])
      expect(results.map(({ content }) => content.replaceAll("\\[", "["))).toEqual([`day 0: ${result}`, `night 0: ${result}`])
      expect(messages.at(-2)).toMatchObject({ role: "assistant", content: expect.stringMatching(/Answer 0\.$/) })
    },
  )

  test("T29 S15 a turn's first request extends the last request of the turn before", async () => {
    const { model, send } = flightAgent(3, {})
    await send()
    const [, second, third] = model.requests.map(({ messages }) => messages)
    expect(third?.slice(0, second?.length)).toEqual(second)
  })

  test("T29 S15 ids of calls are unique in every request, for a model that begins with the same ones in each turn", async () => {
    const turns = 5
    const steps = Array.from({ length: turns }, (_, at): ScriptedStep[] => [
      [call("call_1", `day ${at}`), call("call_2", `night ${at}`)],
      [call("call_1", `evening ${at}`)],
      `Answer ${at}.`,
    ])
    const model = scriptedModel(steps.flat(), { capabilities: { tools: true } })
    const ids = { next: hostPorts.ids.next }
    const { agent } = testAgent(model, { dialect: "layered", loop: { mode: "auto" } }, { tools: [search], ports: { ids } })
    for (let at = 0; at < turns; at++) {
      // A session that is opened anew knows the calls of earlier turns from the store.
      const { ok } = await agent.session("test").send(`Question ${at}?`).result
      expect(ok).toBe(true)
    }
    let before: readonly Message[] = []
    for (const { messages } of model.requests) {
      expectPairs(messages)
      const used = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
      expect(new Set(used).size).toBe(used.length)
      // OpenAI refuses longer ids.
      for (const id of used) expect(id.length).toBeLessThanOrEqual(40)
      expect(messages.slice(0, before.length)).toEqual(before)
      before = messages
    }
    expect(before.flatMap(({ toolCalls = [] }) => toolCalls)).toHaveLength(3 * turns)
  })

  test("T29 name each tool as the request's tools do, also one that is gone", async () => {
    const tools = ["s.mail", "s_mail"].map((name) => defineTool({ name, description: "", execute: () => name }))
    const named = (id: string, name: string): ModelPart => ({ type: "tool-call", call: { id, name, args: "{}" } })
    const model = scriptedModel([[named("a", "s_mail_2"), named("b", "s_mail")], "One.", "Two.", "Three."], {
      capabilities: { tools: true },
    })
    const store = createInMemoryStore()
    const sessionWith = (given: typeof tools) =>
      testAgent(model, { dialect: "layered", loop: { mode: "auto" } }, { tools: given, store, runJobs: false }).session
    await sessionWith(tools).send("1").result
    await sessionWith(tools).send("2").result
    await sessionWith(tools.slice(1)).send("3").result
    const calls = [1, 2, 3].map((at) =>
      model.requests[at]?.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name)),
    )
    expect(calls[1]).toEqual(calls[0])
    expect(calls[2]?.[1]).toBe("s_mail")
    expect(calls[2]?.[0]).not.toBe("s_mail")
  })

  test.each([
    { mode: "json", toolRuns: "auto", kept: false },
    { mode: "json", toolRuns: "keep", kept: true },
    { mode: "native", toolRuns: "auto", kept: true },
    { mode: "native", toolRuns: "drop", kept: false },
  ] as const)("T29 the profile keeps them or not: $mode, $toolRuns", async ({ mode, toolRuns, kept }) => {
    for (const dialect of ["fay", "layered", "soul", "stack", "stack-cached", "root"]) {
      const { session, send } = flightAgent(1, { dialect, history: { toolRuns } }, mode)
      await send()
      for (const prompt of ["planner", "chat", "final"]) {
        const { messages } = await session.preview("And now?", { prompt })
        expect(messages.some(({ content }) => content.includes("HAT136"))).toBe(kept)
        expect(messages.some(({ role }) => role === "tool")).toBe(false)
      }
    }
  })

  test("T29 over budget the runs of the oldest turn go first, each call with its results, and a notice stays", async () => {
    const { session, send } = flightAgent(4, {})
    await send()
    const whole = await session.preview("And now?", { prompt: "native" })
    const kept: string[] = []
    for (let tokens = whole.tokens + whole.overheadTokens; tokens > 500; tokens -= 70) {
      const { session: small, send: sendSmall } = flightAgent(4, { budget: { tokens, answerTokens: 0, stepTokens: 0 } })
      await sendSmall()
      const { messages, decisions } = await small.preview("And now?", { prompt: "native" })
      expectPairs(messages)
      const shown = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)).filter((id) => id.startsWith("a"))
      expect(["a0", "a1", "a2", "a3"].slice(4 - shown.length)).toEqual(shown)
      if (shown.length < 4) expect(decisions.find(({ key }) => key === "history")?.fate).not.toBe("kept")
      kept.push(shown.join(" "))
    }
    expect(new Set(kept).size).toBeGreaterThan(1)
  })

  /** The next turn's native request, and the results that it holds. */
  async function previewAfter(turns: number, profile: ProfileInput) {
    const { session, send } = flightAgent(turns, profile)
    await send()
    const request = await session.preview("And now?", { prompt: "native" })
    const results = request.messages.filter(({ role }) => role === "tool").map(({ content }) => content)
    return { ...request, results }
  }

  test("T29 without a budget they take a bounded number of tokens, the oldest are shortened first, decisions tell", async () => {
    const whole = await previewAfter(6, {})
    expect(whole.results).toHaveLength(12)
    for (const text of whole.results) expect(text.endsWith(result)).toBe(true)
    const { results, decisions, messages } = await previewAfter(6, { history: { toolRunTokens: 1_000 } })
    expectPairs(messages)
    const isWhole = results.map((text) => text.endsWith(result))
    const shortened = isWhole.indexOf(true)
    expect(shortened).toBeGreaterThan(0)
    expect(isWhole.slice(shortened)).not.toContain(false)
    for (const text of results.slice(0, shortened)) expect(text).toContain("结果过长")
    expect(decisions.find(({ key }) => key === "history")).toMatchObject({
      fate: "shortened",
      reason: "tool runs of earlier turns had more than 1000 tokens",
    })
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(7)
  })

  test("T29 a single run that is longer than all may be is shortened, and so are its arguments", async () => {
    const args = { day: "monday ".repeat(12_000) }
    const first: ModelPart = { type: "tool-call", call: { id: "a", name: "flights_search", args: JSON.stringify(args) } }
    const model = scriptedModel([[first], "Answer."], { capabilities: { tools: true } })
    const { session } = testAgent(model, { dialect: "layered", loop: { mode: "native" } }, { tools: [search] })
    await session.send("Question?").result
    const { messages, tokens } = await session.preview("And now?", { prompt: "native" })
    const [called] = messages.flatMap(({ toolCalls = [] }) => toolCalls)
    expect(JSON.parse(called?.args ?? "")).toMatchObject({ day: expect.stringMatching(/^monday monday .*monday $/s) })
    expect(called?.args.length).toBeLessThan(40_000)
    expect(tokens).toBeLessThan(8_500)
  })

  test("T29 the oldest runs go where not even their beginnings have room", async () => {
    const { results, messages } = await previewAfter(6, { history: { toolRunTokens: 300 } })
    expectPairs(messages)
    expect(results.length).toBeLessThan(4)
    expect(results.at(-1)).toContain("night 5")
    const none = await previewAfter(2, { history: { toolRunTokens: 0 } })
    expect(none.results).toEqual([])
  })

  test("T29 S16 they are shortened at steps: most turns begin as the one before", async () => {
    const { model, send } = flightAgent(20, { history: { toolRunTokens: 2_000, contextCount: 100 } })
    await send()
    const firsts = model.requests.filter((_, at) => at % 2 === 0).map(({ messages }) => messages)
    const moved = firsts.filter((messages, at) => {
      const before = firsts[at - 1] ?? []
      return JSON.stringify(messages.slice(0, before.length)) !== JSON.stringify(before)
    })
    expect(moved.length).toBeGreaterThan(2)
    expect(moved.length).toBeLessThan(13)
  })

  test("T29 under a budget old runs are shortened before words of the conversation go", async () => {
    const budget = { tokens: 3_000, answerTokens: 0, stepTokens: 0 }
    const { messages, results, decisions } = await previewAfter(8, { dialect: "layered", budget })
    expectPairs(messages)
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(9)
    expect(results.slice(-2).map((text) => text.endsWith(result))).toEqual([true, true])
    expect(decisions.find(({ key }) => key === "history")?.reason).toMatch(/^tool runs of earlier turns had more than/)
  })

  test("T29 T35 jobs after the turn do not see them", async () => {
    const seen: unknown[] = []
    const job = { kind: "look", afterTurn: (turn: unknown) => void seen.push(turn), run: async () => undefined }
    const { send, agent } = flightAgent(1, { plugins: [{ name: "looking", jobs: [job] }] })
    await send()
    await agent.idle()
    expect(JSON.stringify(seen)).toContain("Answer 0.")
    expect(JSON.stringify(seen)).not.toContain("HAT136")
  })
})
