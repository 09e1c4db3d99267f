import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import type { AgentOptions } from "../../../../src/loop/agent/agent-options.ts"
import { agentTool } from "../../../../src/loop/agent/child/agent-tool.ts"
import { partsOf } from "../../../../src/loop/agent/published-agents.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, manualClock, type ScriptedStep, scriptedModel } from "../../../../src/testing/index.ts"
import { approvalQuestion } from "../../../../src/trace/approval-question.ts"
import type { TurnResult } from "../../../../src/trace/turn-event.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"

afterEach(expectScriptsDone)

/** What the tools did, and what they looked at before. */
const done: string[] = []
let balance = 10
afterEach(() => {
  done.splice(0)
  balance = 10
})

/** Asks in the middle of its work, once for each person. */
const pay = defineTool({
  name: "pay",
  description: "sends money",
  inputSchema: z.object({ to: z.array(z.string()), each: z.number().default(1) }),
  writes: true,
  async execute({ to, each }, { confirm, signal }) {
    const diff = `balance ${balance} -> ${balance - each * to.length}`
    for (const name of to) {
      const may = await confirm?.({ tool: "pay", summary: `pay ${name}`, detail: diff }, signal)
      if (!may) return "refused"
    }
    for (const name of to) done.push(name)
    return "paid"
  },
})

/** An agent over a store: a second one over the same store is another process. */
function over(store: Store, steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}, mode = "json") {
  const model = scriptedModel(steps, { capabilities: { tools: true } })
  const profile = { dialect: "layered" as const, locale: "en", loop: { mode: mode as "json" } }
  return { model, ...testAgent(model, profile, { store, tools: [pay], runJobs: false, confirm: "later", ...options }) }
}

function asked(result: TurnResult) {
  const [approval] = (result.ok && result.approvals) || []
  if (approval === undefined) throw new Error(`nothing waits: ${JSON.stringify(result)}`)
  return approval
}
const native = (...calls: readonly object[]) =>
  calls.map((args, at) => ({ type: "tool-call" as const, call: { id: `n${at}`, name: "pay", args: JSON.stringify(args) } }))

describe("N43 a question in the middle of a tool's work", () => {
  test.each(["json", "native"])("ends the turn and waits; allowed in another process, the call runs anew (%s)", async (mode) => {
    const store = createInMemoryStore()
    const call = mode === "json" ? callTool("pay", { to: ["Ada"] }) : native({ to: ["Ada"] })
    const before = over(store, [call], {}, mode)
    const result = await before.session.send("Pay Ada.").result
    expect(result).toMatchObject({ ok: true, text: "", stopReason: "awaiting-approval" })
    expect(asked(result)).toMatchObject({ tool: "pay", args: { to: ["Ada"] }, summary: "pay Ada", detail: "balance 10 -> 9" })
    expect(asked(result)).not.toHaveProperty("questions")
    expect(done).toEqual([])
    const after = over(store, [mode === "json" ? finish("Paid.") : "Paid."], {}, mode)
    expect(await after.session.approvals()).toEqual([asked(result)])
    const end = await after.session.approve(asked(result).code).result
    expect(end).toMatchObject({ ok: true, text: "Paid.", trace: { runs: [{ tool: "pay", status: "ok", result: "paid" }] } })
    expect(done).toEqual(["Ada"])
    expect(await after.session.approvals()).toEqual([])
  })

  test("is refused: the call does not run, and the model reads the reason", async () => {
    const { session, model } = over(createInMemoryStore(), [callTool("pay", { to: ["Ada"] }), finish("No.")])
    const { id } = asked(await session.send("Pay Ada.").result)
    expect(await session.deny(id, "too much").result).toMatchObject({ text: "No.", trace: { runs: [{ failure: "denied" }] } })
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("The reason: too much")
    expect(done).toEqual([])
  })

  test("may be followed by another one of the same call, which the code of the first does not answer", async () => {
    const store = createInMemoryStore()
    const { session } = over(store, [callTool("pay", { to: ["Ada", "Bob"] })])
    const first = asked(await session.send("Pay both.").result)
    const second = asked(await session.approve(first.id).result)
    expect([first.summary, second.summary, done]).toEqual(["pay Ada", "pay Bob", []])
    expect(await session.approve(first.code).result).toMatchObject({ error: { evidence: { fault: "answered" } } })
    const after = over(store, [finish("Both.")])
    expect(await after.session.approve(second.code).result).toMatchObject({ ok: true, text: "Both." })
    expect(done).toEqual(["Ada", "Bob"])
  })

  test("is asked each time, also in the same words, and anew if what it tells has changed meanwhile", async () => {
    const { session } = over(createInMemoryStore(), [callTool("pay", { to: ["Ada", "Ada"] }), finish("Paid.")])
    const first = asked(await session.send("Pay Ada twice.").result)
    balance = 3
    const changed = asked(await session.approve(first.id).result)
    expect([changed.summary, changed.detail]).toEqual(["pay Ada", "balance 3 -> 1"])
    const again = asked(await session.approve(changed.id).result)
    expect([again.summary, again.id === changed.id]).toEqual(["pay Ada", false])
    expect(await session.approve(again.id).result).toMatchObject({ ok: true, text: "Paid." })
    expect(done).toEqual(["Ada", "Ada"])
  })

  test("of one call beside another: each waits, and what has run does not run again", async () => {
    const store = createInMemoryStore()
    const steps = native({ to: ["Ada"] }, { to: [] }, { to: ["Bob", "Cid"] })
    const { session } = over(store, [steps], {}, "native")
    const result = await session.send("Pay all.").result
    const [ada, bob] = (result.ok && result.approvals) || []
    expect([ada?.summary, bob?.summary]).toEqual(["pay Ada", "pay Bob"])
    await session.approve(ada?.id ?? "").result
    const third = asked(await session.approve(bob?.id ?? "").result)
    expect([third.summary, done]).toEqual(["pay Cid", ["Ada"]])
    const after = over(store, ["All paid.", "Three."], {}, "native")
    expect(await after.session.approve(third.id).result).toMatchObject({ ok: true, text: "All paid." })
    expect(done).toEqual(["Ada", "Bob", "Cid"])
    // The next turn is shown each run once, those behind the question in front of the answer.
    await after.session.send("How many?").result
    const shown = after.model.requests[1]?.messages.slice(1) ?? []
    expect(
      shown.map(({ content, toolCalls = [] }) => [content, ...toolCalls.map(({ id }) => id)].filter(Boolean).join(" ")),
    ).toEqual(["Pay all.", "n1", "paid", "n0 n2", "paid", "paid", "All paid.", "How many?"])
  })

  test("does not count for the call itself, which needs an approval only now", async () => {
    const careful = { ...pay, needsApproval: () => balance < 10 }
    const store = createInMemoryStore()
    const { session } = over(store, [callTool("pay", { to: ["Ada"] }), finish("Paid.")], { tools: [careful] })
    const first = asked(await session.send("Pay Ada.").result)
    balance = 3
    const call = asked(await session.approve(first.id).result)
    expect([first.summary, call.summary, done]).toEqual(["pay Ada", 'pay(to=["Ada"])', []])
    const again = asked(await session.approve(call.id).result)
    expect([again.detail, done]).toEqual(["balance 3 -> 2", []])
    expect(await session.approve(again.id).result).toMatchObject({ ok: true, text: "Paid." })
    expect(done).toEqual(["Ada"])
  })

  test.each([{ tool: "ask" }, { tool: "ask", summary: "?", detail: 5 }, undefined])(
    "%j is no question, and is none for a person",
    async (question) => {
      const ask = defineTool({
        name: "ask",
        description: "",
        execute: (_, { confirm, signal }) => confirm?.(question as never, signal),
      })
      const { session } = over(createInMemoryStore(), [callTool("ask"), finish("Well.")], { tools: [ask] })
      const result = await session.send("Ask.").result
      expect(result).toMatchObject({
        ok: true,
        trace: { runs: [{ failure: "threw", result: expect.stringContaining("as confirm.request") }] },
      })
    },
  )

  test("T29 each run of a step that waits, twice even, stands once in the history, in front of the answer", async () => {
    const store = createInMemoryStore()
    const steps = native({ to: ["Ada"] }, { to: [] }, { to: ["Bob", "Cid"] })
    const { session, model } = over(store, [steps, "All paid.", "Yes."], {}, "native")
    const result = await session.send("Pay all.").result
    const kept = async () =>
      (await store.load(session.key))?.history.map(({ text, runs = [] }) => [text, ...runs.map(({ id }) => id)])
    expect(await kept()).toEqual([["Pay all.", "n1"]])
    for (const { id } of (result.ok && result.approvals) || []) await session.approve(id).result
    expect(await kept()).toEqual([["Pay all.", "n1"]])
    await session.approve((await session.approvals())[0]?.id ?? "").result
    expect(await kept()).toEqual([
      ["Pay all.", "n1"],
      ["All paid.", "n0", "n2"],
    ])
    await session.send("Really?").result
    const shown = model.requests
      .at(-1)
      ?.messages.slice(1)
      .map(({ role, content, toolCallId }) => toolCallId ?? `${role}: ${content}`)
    expect(shown).toEqual([
      ...["user: Pay all.", "assistant: ", "n1", "assistant: ", "n0", "n2", "assistant: All paid.", "user: Really?"],
    ])
  })

  test("keeps the bounds that the caller gave the answer", async () => {
    const store = createInMemoryStore()
    const before = over(store, [native({ to: ["Ada"] })], {}, "native")
    const given = { answerLimit: { stop: ["\nBob:"], behind: "I will pay Ada, then I tell you." } }
    const { id } = asked(await before.session.send("Pay Ada.", given).result)
    const after = over(store, ["I will pay Ada, then I tell you. Paid.\nBob: no"], {}, "native")
    expect(await after.session.approve(id).result).toMatchObject({ ok: true, text: " Paid." })
  })

  test("leaves the answer the tokens that it had left", async () => {
    const store = createInMemoryStore()
    const told = { type: "text-delta" as const, delta: "First I pay Ada." }
    const { session } = over(store, [[told, ...native({ to: ["Ada"] })]], {}, "native")
    const { id } = asked(await session.send("Pay Ada.", { answerLimit: { maxTokens: 8 } }).result)
    const after = over(store, ["Paid, and Ada says thank you so much."], {}, "native")
    expect(await after.session.approve(id).result).toMatchObject({ stopReason: "truncated", text: "Paid, and Ada sa" })
  })

  test("is answered by the person asked alone, once, in time", async () => {
    const clock = manualClock(0)
    const store = createInMemoryStore()
    const ask = async () => {
      const { session } = over(store, [callTool("pay", { to: ["Ada"] }), finish("Paid.")], { ports: { clock } })
      return { session, ...asked(await session.send("Pay Ada.", { from: { id: "ann" } }).result) }
    }
    const { session, code, untilMs } = await ask()
    expect(await session.approve(code, { by: "bob" }).result).toMatchObject({ error: { evidence: { fault: "not-asked" } } })
    const presses = await Promise.all([0, 1].map(() => session.approve(code, { by: "ann" }).result))
    expect([presses.map(({ ok }) => ok).toSorted(), done]).toEqual([[false, true], ["Ada"]])
    expect(untilMs).toBe(604_800_000)
  })

  test("says so when it is answered too late", async () => {
    const clock = manualClock(0)
    const { session } = over(createInMemoryStore(), [callTool("pay", { to: ["Ada"] })], { ports: { clock } })
    const { id } = asked(await session.send("Pay Ada.").result)
    clock.advance(604_800_001)
    expect(await session.approve(id).result).toMatchObject({ error: { evidence: { fault: "expired" } } })
    expect(done).toEqual([])
  })

  test("also waits where a person was asked at once and did not answer in time", async () => {
    const never = () => new Promise<boolean>(() => undefined)
    const store = createInMemoryStore()
    const model = scriptedModel([callTool("pay", { to: ["Ada"] })])
    const { agent, session, timers } = testAgent(model, { limits: { confirmMs: 1_000 } }, { store, tools: [pay], confirm: never })
    partsOf(agent).asking.later = true
    const turn = session.send("Pay Ada.")
    for await (const event of turn) if (event.type === "confirm-start") break
    timers.advance(1_000)
    expect(asked(await turn.result).summary).toBe("pay Ada")
  })

  test.each([true, false])(
    "is refused where nobody can answer later: without a session, and in an agent inside a tool (%s)",
    async (inside) => {
      const steps = [callTool("pay", { to: ["Ada"] }), finish("Refused.")]
      const child = createAgent({
        profile: resolveProfile({ name: "child", dialect: "layered" }),
        model: scriptedModel(inside ? steps : []),
        tools: [pay],
      })
      const helper = agentTool({ name: "helper", description: "", agent: child })
      const outer = inside ? [callTool("helper", { request: "Pay Ada." }), finish("Refused.")] : steps
      const { agent, session } = over(createInMemoryStore(), outer, { tools: [pay, helper] })
      const turn = inside ? session.send("Pay Ada.") : agent.respond([{ role: "user", content: "Pay Ada." }])
      const result = await turn.result
      expect(result).toMatchObject({ ok: true, text: "Refused." })
      const { runs } = inside ? (result.trace.children[0]?.trace ?? result.trace) : result.trace
      expect(runs).toMatchObject([{ tool: "pay", result: "refused" }])
    },
  )

  test("is for a function or for `later`: any other confirm is refused at once", () => {
    expect(() => over(createInMemoryStore(), [], { confirm: "now" as never })).toThrow(
      /`confirm` of createAgent, if it is not "later"/,
    )
  })

  test("shows the detail, such as a diff, in its question, cut with a count", () => {
    const approval = {
      id: "a",
      code: "B2C3D4",
      callId: "c",
      tool: "write",
      args: {},
      summary: "change SOUL.md",
      askedMs: 0,
      untilMs: 60_000,
    }
    const from = { id: "ann", name: "Ann" }
    expect(approvalQuestion({ ...approval, from, detail: "-old\n+new" }, "en").question).toBe(
      "Ann, may I do this? change SOUL.md\n-old\n+new\nThe question waits 1 minute.",
    )
    const odd = {
      ...approval,
      from: { id: "ann", name: "A\u202enn" },
      args: { a: "\u2066b\0" },
      summary: "pay\u202e\0\u001b[2J",
      detail: "-x\r\n+\u2067y",
    }
    expect(approvalQuestion(odd, "en")).toMatchObject({
      ...{ args: odd.args, summary: "pay[2J" },
      question: "Ann, may I do this? pay[2J\n-x\n+y\nThe question waits 1 minute.",
    })
    const long = approvalQuestion({ ...approval, from, detail: "字".repeat(1_000) }, "zh-CN").question
    expect(long).toContain("…（还有 15 个字符）")
  })
})
