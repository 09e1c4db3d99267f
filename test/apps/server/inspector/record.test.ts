import { afterEach, describe, expect, test } from "vitest"
import type { TurnRecord, TurnSummary } from "../../../../src/apps/server/inspector/turn-record.ts"
import type { LanguageModel, ModelRequest } from "../../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { contents, inspected } from "./inspected.ts"

const usage = { inputTokens: 1_000, inputCacheReadTokens: 600, outputTokens: 100 }

describe("the record of a turn", () => {
  test("has question, answer, each request as it was sent, and the tool's run", async () => {
    const { session, record } = inspected([callTool("look"), finish("It is three.")])
    const result = await session.send("What time is it?").result
    if (!result.ok) throw result.error
    const made = await record(result.trace.turnId)
    expect(made).toMatchObject({ version: 1, question: "What time is it?", answer: "It is three.", lostEvents: 0 })
    expect(made.outcome).toEqual({ state: "answered", stopReason: "finish" })
    expect(made.requests.map(contents)).toEqual(
      result.trace.steps.map(({ assembly }) => assembly.messages.map(({ content }) => content)),
    )
    expect(made.tools).toMatchObject([{ tool: "look", result: "three", status: "ok" }])
    const [persona] =
      made.requests[0]?.messages
        .flatMap(({ spans }) => spans)
        .filter(({ key, part }) => key === "persona" && part === "content") ?? []
    expect(persona).toMatchObject({ text: "你是Fay。", trust: "author", stability: "global", part: "content" })
    expect(JSON.parse(JSON.stringify(made))).toEqual(JSON.parse(JSON.stringify(await record(made.id))))
  })

  test("has the time of each delta, for which it looks at no clock of its own", async () => {
    const looks = async (words: number, isInspected: boolean) => {
      const clock = manualClock(0)
      const looked = { turn: 0, page: 0 }
      const counting = (whose: "turn" | "page") => ({
        nowMs() {
          looked[whose]++
          return clock.nowMs()
        },
      })
      const model: LanguageModel = {
        id: "slow",
        capabilities: { developerRole: false, tools: false },
        async *stream() {
          yield { type: "text-delta", delta: '{"action":"finish","message":"' }
          for (let at = 0; at < words; at++) {
            clock.advance(10)
            yield { type: "text-delta", delta: "word " }
          }
          clock.advance(300)
          yield { type: "text-delta", delta: '"}' }
        },
      }
      const { session, record, made } = inspected([], {
        model,
        clock: counting("page"),
        agentOptions: { ports: { clock: counting("turn") } },
      })
      if (!isInspected) await made.close()
      const { trace } = await session.send("Hello?").result
      return { ...looked, events: isInspected ? (await record(trace.turnId)).events : [] }
    }
    const [plain, few, many] = [await looks(5, false), await looks(5, true), await looks(50, true)]
    expect(many.events.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", atMs: 10, endMs: 500, characters: 250 },
    ])
    expect(many.events.find(({ type }) => type === "step-end")).toMatchObject({ atMs: 800 })
    expect([few.turn, many.page]).toEqual([plain.turn, few.page])
    expect(many.turn - few.turn).toBe(45)
  })

  test("costs a turn no spans, prefixes and decisions before somebody reads it", async () => {
    const { session, record } = inspected([finish("Three.")])
    const { trace } = await session.send("Nobody asked this before.").result
    const [step] = trace.steps
    if (!step) throw new Error("expected a step")
    const made = () => {
      const hidden = Object.getOwnPropertySymbols(step.assembly).map((symbol) => Reflect.get(step.assembly, symbol))
      const makers = hidden.find((value) => "spans" in Object(value))
      return ["spans", "prefixes", "decisions"].filter((name) => typeof makers[name] !== "function")
    }
    expect(made()).toEqual([])
    await record(trace.turnId)
    expect(made()).toEqual(["spans", "prefixes", "decisions"])
  })

  test("of a turn that runs has the requests that were sent, and the runs of tools so far", async () => {
    const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const sent: ModelRequest[] = []
    const model: LanguageModel = {
      id: "held",
      capabilities: { developerRole: false, tools: false },
      async *stream(request) {
        const at = sent.push(request) - 1
        asked[at]?.resolve()
        await held[at]?.promise
        yield { type: "text-delta", delta: at === 0 ? callTool("look") : finish("Three.") }
        yield { type: "finish", reason: "stop" }
      },
    }
    const { session, record, post } = inspected([], { model })
    const turn = session.send("What time is it?")
    const shown = async () => {
      const { requests, tools, durationMs } = await record(turn.id)
      return {
        contents: requests.map(contents),
        steps: requests.map(({ step, model }) => [step, model]),
        tools: tools.length,
        durationMs,
      }
    }
    await asked[0]?.promise
    const given = () => sent.map(({ messages }) => messages.map(({ content }) => content))
    expect(await shown()).toEqual({ contents: given(), steps: [[1, "held"]], tools: 0, durationMs: undefined })
    expect((await post(`api/turns/${turn.id}/preview`, {})).status).toBe(409)
    held[0]?.resolve()
    await asked[1]?.promise
    expect(await shown()).toMatchObject({ contents: given(), tools: 1 })
    expect((await record(turn.id)).requests[1]?.change).toMatchObject({ since: { turn: turn.id, step: 1 } })
    held[1]?.resolve()
    await turn.result
    expect(await shown()).toMatchObject({ contents: given(), tools: 1, durationMs: 0 })
  })

  test("counts a run of deltas as one event, and gives each event its time", async () => {
    const { session, record } = inspected([finish("A long answer in many pieces.")])
    const { events } = await record((await session.send("hi").result).trace.turnId)
    expect(events.filter(({ type }) => type === "text-delta")).toMatchObject([{ atMs: 0, characters: 29 }])
    expect(events[0]).toEqual({ type: "turn-start", atMs: 0 })
    expect(events.at(-1)?.type).toBe("turn-end")
    expect(events.find(({ type }) => type === "step-start")).toMatchObject({ id: "1", name: "planner" })
  })

  test("marks the ends of stable beginnings by spans, at the tokens that the assembly counted", async () => {
    const { session, record } = inspected([finish("yes")])
    const { trace } = await session.send("hi").result
    const [request] = (await record(trace.turnId)).requests
    const [step] = trace.steps
    const ends = request?.prefixes.map(({ message, spans }) =>
      request.messages[message]?.spans
        .slice(0, spans)
        .map(({ text }) => text)
        .join(""),
    )
    expect(ends?.map((text) => text?.length)).toEqual(step?.assembly.prefixes.map(({ end }) => end))
    expect(request?.prefixes.map(({ tokens }) => tokens)).toEqual(step?.assembly.prefixes.map(({ tokens }) => tokens))
  })

  test("says what changed since the request before, in this turn and in the last one, and names the key that broke the cache", async () => {
    const { session, record } = inspected([callTool("look"), finish("three"), finish("again")], {
      profile: { dialect: "layered", locale: "en" },
    })
    session.stack.add({ key: "mood", content: "calm", scope: "global" })
    const first = await session.send("What time is it?").result
    session.stack.add({ key: "mood", content: "angry", scope: "global" })
    const second = await session.send("And now?").result
    const [one, two] = (await record(first.trace.turnId)).requests
    expect(one?.change).toBeUndefined()
    expect(two?.change).toMatchObject({ since: { turn: first.trace.turnId, step: 1 } })
    const [next] = (await record(second.trace.turnId)).requests
    expect(next?.change).toMatchObject({ since: { turn: first.trace.turnId, step: 2 }, outcome: "changed", brokeStable: true })
    expect(next?.change?.cause).toMatchObject({ key: "mood", stability: "global", change: "changed" })
    const { message = 0, span = 0, lostTokens } = next?.change ?? {}
    expect(next?.messages[message]?.spans[span]).toMatchObject({ key: "mood", text: "angry" })
    expect(lostTokens).toBeGreaterThan(0)
  })

  test("has the cost where a price is known, of cached tokens by their own price", async () => {
    const prices = { scripted: { input: 10, output: 100, cacheRead: 1 } }
    const setup = { prices }
    const { session, record, get } = inspected([[finish("yes"), { type: "usage", usage }]], setup)
    const { turnId, steps } = (await session.send("hi").result).trace
    expect(steps[0]?.model).toBe("scripted")
    const made = await record(turnId)
    expect(made.requests[0]?.cost).toBeCloseTo((400 * 10 + 600 * 1 + 100 * 100) / 1_000_000)
    expect(made.cost).toBe(made.requests[0]?.cost)
    const { turns } = await get<{ turns: TurnSummary[] }>("api/turns")
    expect(turns[0]?.cost).toBe(made.cost)
  })

  test.each([
    [{}, undefined],
    [{ inputTokens: 1_000 }, 1_000 * 10],
    [{ outputTokens: 10 }, undefined],
    [{ inputTokens: 0, outputTokens: 10 }, 10 * 100],
    [{ costUsd: 0.5 }, 500_000],
    [{ inputCacheReadTokens: 10, inputTokens: 10 }, 10 * 1],
    [{ inputCacheWriteTokens: 10, inputTokens: 12 }, 2 * 10 + 10 * 13],
    [{ inputCacheReadTokens: 3, inputCacheWriteTokens: 4, inputTokens: 10, outputTokens: 5 }, 3 * 10 + 3 * 1 + 4 * 13 + 5 * 100],
  ])("T56 has the cost of %j, never 0 for what nobody told", async (told, millionths) => {
    const prices = { scripted: { input: 10, output: 100, cacheRead: 1, cacheWrite: 13 } }
    const { session, record } = inspected([[finish("yes"), { type: "usage", usage: told }]], { prices })
    const { turnId } = (await session.send("hi").result).trace
    const expected = millionths === undefined ? undefined : expect.closeTo(millionths / 1_000_000, 12)
    expect((await record(turnId)).cost).toEqual(expected)
  })

  test("of a failed turn has the error's code and what was gathered", async () => {
    const { session, record } = inspected([[new Error("The line is dead.")]])
    const { turnId } = (await session.send("hi").result).trace
    expect((await record(turnId)).outcome).toMatchObject({ state: "failed", code: "model" })
  })

  test("has turns that keep nothing, those that never began, and wakes", async () => {
    const { agent, session, get } = inspected([finish("one"), finish("two")])
    await agent.respond([{ role: "user", content: "stateless" }]).result
    await session.send(" ").result
    await session.wake("The sun rose.").result
    const { turns } = await get<{ turns: TurnSummary[] }>("api/turns")
    expect(turns.map(({ question, wake, outcome }) => [question, wake, outcome.state])).toEqual([
      ["", "The sun rose.", "answered"],
      [" ", undefined, "failed"],
      ["stateless", undefined, "answered"],
    ])
  })

  test("has the receipts of background work", async () => {
    const store = createInMemoryStore()
    const { agent, session, record } = inspected([finish("yes"), "7", "{}"], {
      profile: { memory: { enabled: true } },
      agentOptions: { store, onWarning: () => undefined },
    })
    const { turnId } = (await session.send("I live in Oslo.").result).trace
    await agent.idle()
    expect((await record(turnId)).receipts.map(({ kind }) => kind)).toContain("importance")
  })
})

describe("secrets", () => {
  const secret = "sk-abcdefghijklmnop1234"

  afterEach(() => {
    delete process.env.INSPECTOR_TEST_TOKEN
  })

  test("are in no field of a record, of a list, or of a preview, also across two spans", async () => {
    process.env.INSPECTOR_TEST_TOKEN = "correct horse battery"
    const { session, record, get, post } = inspected([callTool("look", { key: secret }), finish(`Your key is ${secret}.`)], {
      secrets: ["swordfish"],
    })
    const question = `My key is ${secret}, my word swordfish, and correct horse battery.`
    const inject = [{ key: "half", content: `Bearer ${secret}`, trust: "author" as const }]
    const { turnId } = (await session.send(question, { inject }).result).trace
    const made = await record(turnId)
    const preview = await (await post(`api/turns/${turnId}/preview`, {})).json()
    const texts = [made, await get("api/turns"), preview].map((value) => JSON.stringify(value))
    for (const text of texts) expect(text).not.toMatch(/abcdefghijklmnop|swordfish|correct horse/u)
    for (const text of texts) expect(text).toContain("[secret]")
    expect(contents((made as TurnRecord).requests[0] as TurnRecord["requests"][number]).join("")).toContain(
      "My key is [secret], my word [secret]",
    )
  })
})

describe("what is kept", () => {
  test("is bounded by turns and by bytes; the oldest go first, and are counted", async () => {
    const few = inspected(["a", "b", "c"].map(finish), { maxTurns: 2 })
    for (const text of ["1", "2", "3"]) await few.session.send(text).result
    const { turns } = await few.get<{ turns: TurnSummary[] }>("api/turns")
    expect(turns.map(({ question }) => question)).toEqual(["3", "2"])
    expect(await few.get("api/info")).toMatchObject({ kept: 2, dropped: 1 })
    const small = inspected(["a", "b", "c"].map(finish), { maxBytes: 1 })
    for (const text of ["1", "2", "3"]) await small.session.send(text).result
    expect((await small.get<{ turns: TurnSummary[] }>("api/turns")).turns.map(({ question }) => question)).toEqual(["3"])
  })

  test("ends when the inspector is closed; the agent goes on, and can have another one", async () => {
    const { agent, session, made, get } = inspected([finish("a"), finish("b")])
    const { inspector } = await import("../../../../src/apps/server/inspector/inspector.ts")
    expect(() => inspector(agent)).toThrow("expected an agent without an inspector")
    await session.send("1").result
    made.close()
    expect(await session.send("2").result).toMatchObject({ ok: true })
    expect(await get("api/turns")).toMatchObject({ turns: [] })
    const next = inspector(agent)
    made.close()
    const { turnId } = (await session.send(" ").result).trace
    expect(await next.record(turnId)).toMatchObject({ question: " " })
  })
})
