import { getEventListeners } from "node:events"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel, seededRandom } from "../../../src/testing/index.ts"
import type { TurnEvent, TurnResult } from "../../../src/trace/turn-event.ts"
import { type TestAgent, testAgent } from "../../support/agents.ts"
import { madModel } from "../../support/mad-model.ts"
import { amount, seedOf } from "../../support/size.ts"

const runs = amount("MAD_TURNS")
const unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => void unhandled.push(reason)
beforeAll(async () => {
  process.on("unhandledRejection", onUnhandled)
  // Loads the code of turns: a turn that ends while it is loaded leaves its clean-up to a later moment.
  const outputs = ['{"action":"tool","tool":"echo","args":{}}', "{{{{", "{{{{", "hi"]
  const { session } = testAgent(scriptedModel(outputs), {}, { tools })
  expect((await session.send("hi").result).ok).toBe(true)
  expect((await session.send("hi", { signal: AbortSignal.abort() }).result).ok).toBe(false)
})
afterAll(() => void process.off("unhandledRejection", onUnhandled))

const tools = [
  defineTool({ name: "echo", description: "", execute: (args) => args }),
  defineTool({ name: "broken", description: "", execute: () => Promise.reject("no") }),
  defineTool({
    name: "hanging",
    description: "",
    timeoutMs: 50,
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("late")))),
  }),
]

/** Lets a turn go on until it ends: whenever nothing more happens by itself, time passes. */
async function drive({ timers }: TestAgent, turn: { result: Promise<TurnResult> }): Promise<TurnResult> {
  let result: TurnResult | undefined
  void turn.result.then((outcome) => {
    result = outcome
  })
  for (let round = 0; result === undefined; round++) {
    if (round > 2_000) throw new Error("the turn does not end")
    // Files that a turn loads late can take many rounds.
    if (round % 50 === 0) await vi.dynamicImportSettled()
    await new Promise((resolve) => setImmediate(resolve))
    timers.advance(100)
  }
  return result
}

test(`T19 ${runs} turns with a model gone mad each end in an answer or a typed error, within their limits and without leftovers`, async () => {
  const ends = new Map<string, number>()
  for (let seed = 0; seed < runs; seed++) {
    const random = seededRandom(seedOf(0) * 1_000_000 + seed)
    const dialect = ["fay", "layered", "stack", "stack-cached"][seed % 4] ?? "fay"
    const limits = { firstTokenMs: 1_000, betweenChunksMs: 1_000, stepMs: 3_000, turnMs: 20_000 }
    const given = testAgent(madModel(random), { dialect, limits, loop: { maxSteps: 4, strict: seed % 7 === 0 } }, { tools })
    const controller = new AbortController()
    const turn = given.session.send("？", { signal: controller.signal })
    const abortAfter = random() < 0.05 ? Math.floor(random() * 8) : -1
    const events: TurnEvent[] = []
    const reading = (async () => {
      for await (const event of turn) {
        if (events.push(event) === abortAfter) controller.abort()
      }
    })()
    const result = await drive(given, turn)
    await reading
    check(events, result)
    expect(given.timers.pending).toBe(0)
    expect(getEventListeners(controller.signal, "abort")).toEqual([])
    const end = result.ok ? result.stopReason : result.error.code
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
  // The runs must have been mad in every way they can be. A short run with other cases may miss the rarest.
  if (runs < 5_000 && seedOf(0) !== 0) return
  for (const end of ["finish", "max-steps", "repeated-call", "truncated", "model", "model-stall", "model-empty", "aborted"]) {
    expect(ends.get(end) ?? 0, end).toBeGreaterThan(runs / 500)
  }
})

function check(events: readonly TurnEvent[], result: TurnResult): void {
  expect(events[0]?.type).toBe("turn-start")
  expect(events.findIndex(({ type }) => type === "turn-end")).toBe(events.length - 1)
  const shown = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("")
  expect(result.ok ? result.text : result.gathered.text).toBe(shown)
  expect(shown.isWellFormed()).toBe(true)
  expect(shown).not.toMatch(/"action"|"args"/)
  if (result.ok) expect(shown.trim()).not.toBe("")
}
