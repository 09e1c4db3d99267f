import { afterEach, describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import type { TurnEvent } from "../../../src/trace/turn-event.ts"
import { finish, type TestAgent, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const busy = (evidence = {}) =>
  new PromptStrataError("model", "the server is busy", { evidence: { isRetryable: true, ...evidence } })
const refused = new PromptStrataError("model", "the key is wrong", { evidence: { isRetryable: false } })
const retry = { maxAttempts: 3, baseDelayMs: 1_000, maxDelayMs: 10_000 }

/** Runs a turn, letting each wait pass; the waits it saw. */
async function throughWaits({ session, timers }: TestAgent): Promise<{ waits: number[]; events: TurnEvent[] }> {
  const waits: number[] = []
  const events: TurnEvent[] = []
  for await (const event of session.send("？")) {
    events.push(event)
    if (event.type !== "retry") continue
    waits.push(event.delayMs)
    await timers.whenPending(2)
    timers.advance(event.delayMs)
  }
  return { waits, events }
}

describe("retries", () => {
  test("a failure that may pass is tried again, later each time, and the attempts are in the trace", async () => {
    const given = testAgent(scriptedModel([[busy()], [busy()], finish("好")]), { retry })
    const { waits, events } = await throughWaits(given)
    expect(waits[0]).toBeGreaterThanOrEqual(500)
    expect(waits[0]).toBeLessThanOrEqual(1_000)
    expect(waits[1]).toBeGreaterThanOrEqual(1_000)
    expect(waits[1]).toBeLessThanOrEqual(2_000)
    const end = events.at(-1)
    expect(end).toMatchObject({ type: "turn-end", result: { ok: true, text: "好" } })
    expect(end?.type === "turn-end" && end.result.trace.steps.map(({ error }) => error)).toEqual([
      "the server is busy",
      "the server is busy",
      undefined,
    ])
  })

  test("waits as long as the server asks, but no longer than the limit", async () => {
    const script = [[busy({ retryAfterMs: 3_000 })], [busy({ retryAfterMs: 60_000 })], finish("好")]
    const { waits } = await throughWaits(testAgent(scriptedModel(script), { retry }))
    expect(waits).toEqual([3_000, 10_000])
  })

  test("gives up after so many attempts, and at once where trying again cannot help", async () => {
    const { events } = await throughWaits(testAgent(scriptedModel([[busy()], [busy()], [busy()]]), { retry }))
    expect(events.at(-1)).toMatchObject({ result: { ok: false, error: { code: "model" } } })
    const once = await throughWaits(testAgent(scriptedModel([[refused]]), { retry }))
    expect(once.waits).toEqual([])
  })

  /** An adapter of a user that throws what it got, twice. */
  const adapter = (thrown: unknown) => {
    let requests = 0
    const own: LanguageModel = {
      id: "own",
      capabilities: { developerRole: false, tools: false },
      async *stream() {
        requests++
        if (requests <= 2) throw thrown
        yield { type: "text-delta", delta: finish("好") }
      },
    }
    return { own, count: () => requests }
  }

  test.each([
    { name: "a plain error", thrown: new Error("socket hang up"), requests: 3 },
    { name: "fetch without a network", thrown: new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") }), requests: 3 },
    { name: "a busy server", thrown: Object.assign(new Error("no"), { status: 503 }), requests: 3 },
    { name: "a server that refuses", thrown: Object.assign(new Error("no"), { statusCode: 401 }), requests: 1 },
    { name: "one that says it is final", thrown: Object.assign(new Error("no"), { isRetryable: false }), requests: 1 },
    { name: "one that says it may pass", thrown: Object.assign(new RangeError("no"), { isRetryable: true }), requests: 3 },
    { name: "a mistake in the adapter", thrown: new TypeError("x is not a function"), requests: 1 },
    { name: "no error at all", thrown: "no", requests: 1 },
  ])("tries an adapter again after $name: requests $requests", async ({ thrown, requests }) => {
    const { own, count } = adapter(thrown)
    const { events } = await throughWaits(testAgent(own, { retry }))
    expect(events.at(-1)).toMatchObject({ result: { ok: requests === 3 } })
    expect(count()).toBe(requests)
  })

  test("a warning of an adapter is the turn's, and what is no part of an answer is told and left out", async () => {
    const made = scriptedModel([finish("好")])
    const model: LanguageModel = {
      ...made,
      async *stream(request, options) {
        yield { type: "warning", message: "the server is slow" }
        yield { type: "odd" } as never
        yield* made.stream(request, options)
      },
    }
    const result = await testAgent(model).session.send("？").result
    expect(result).toMatchObject({ ok: true, text: "好" })
    expect(result.trace.warnings.map(({ message }) => message)).toEqual([
      "the server is slow",
      expect.stringContaining('not of the form of a ModelPart, which was left out: {"type":"odd"}'),
    ])
  })

  test("goes on with the next model, in order, and names it", async () => {
    const first = scriptedModel([[refused]], { id: "first" })
    const second = scriptedModel([[busy()], [busy()]], { id: "second" })
    const third = scriptedModel([finish("好")], { id: "third" })
    const given = testAgent(first, { retry: { ...retry, maxAttempts: 2 } }, { model: [first, second, third] })
    const { events } = await throughWaits(given)
    expect(events.flatMap((event) => (event.type === "retry" ? [event.model] : []))).toEqual(["second", "second", "third"])
    expect(events.at(-1)).toMatchObject({ result: { ok: true, text: "好" } })
  })

  test("never after a character was shown: the answer ends there and keeps what was shown", async () => {
    const model = scriptedModel([['{"action":"finish","message":"北京', busy()]])
    const { waits, events } = await throughWaits(testAgent(model, { retry }))
    expect(waits).toEqual([])
    expect(events.at(-1)).toMatchObject({ result: { ok: false, error: { code: "model" }, gathered: { text: "北京" } } })
  })

  test("an abort ends the wait, and no timer is left", async () => {
    const given = testAgent(scriptedModel([[busy()]]), { retry })
    const turn = given.session.send("？")
    for await (const event of turn) if (event.type === "retry") turn.abort()
    expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    expect(given.timers.pending).toBe(0)
  })
})
