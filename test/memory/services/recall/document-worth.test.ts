import { expect, test } from "vitest"
import type { RecallDocument } from "../../../../src/memory/services/recall/recall-query.ts"
import type { RecallSignal } from "../../../../src/memory/services/recall/recall-weights.ts"
import { dayMs, indexOf, memory, nowMs } from "./documents.ts"

/** The value of a signal that a document has when nothing is asked. */
function signalOf(signal: RecallSignal, rest: Partial<RecallDocument>): number {
  const [hit] = indexOf([memory("m", "tea", rest)]).rank({ text: "", nowMs, limit: 1 })
  return hit?.why.find((reason) => reason.signal === signal)?.value ?? 0
}

test.each([
  [10, 1],
  [11, 1],
  [5, 0.5],
  [0, 0],
  [-1, 0],
  [Number.NaN, 0],
])("an importance of %d counts %d", (importance, value) => {
  expect(signalOf("importance", { importance })).toBe(value)
})

/** R17: after as many days as its stability a memory is remembered with 0.9. */
test.each<[string, Partial<RecallDocument>, number]>([
  ["said as many days ago as it is stable", { atMs: nowMs - 3 * dayMs, stability: 3 }, 0.9],
  ["without a stability", { atMs: nowMs - dayMs }, 0.9],
  ["with a stability of nothing", { atMs: nowMs - dayMs, stability: 0 }, 0.9],
  ["with a stability below nothing", { atMs: nowMs - dayMs, stability: -5 }, 0.9],
  ["recalled later", { atMs: nowMs - 9 * dayMs, recalledAtMs: nowMs - dayMs }, 0.9],
  [
    "recalled before it was said again",
    { atMs: nowMs - 9 * dayMs, againAtMs: [nowMs - dayMs], recalledAtMs: nowMs - 5 * dayMs },
    0.9,
  ],
  ["recalled before it was said", { atMs: nowMs - dayMs, recalledAtMs: nowMs - 5 * dayMs }, 0.9],
  ["said again at an earlier time", { atMs: nowMs - dayMs, againAtMs: [nowMs - 5 * dayMs] }, 0.9],
  ["said now", { atMs: nowMs }, 1],
  ["said later, as a clock may have it", { atMs: nowMs + dayMs }, 1],
  ["forgotten for so long that it is not counted", { atMs: nowMs - 301 * dayMs }, 0],
])("a memory %s is remembered like this", (_, rest, value) => {
  expect(signalOf("recency", rest)).toBeCloseTo(value, 10)
})
