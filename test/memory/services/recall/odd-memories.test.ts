import { expect, test } from "vitest"
import type { RecallDocument } from "../../../../src/memory/services/recall/recall-query.ts"
import { dayMs, indexOf, memory, nowMs } from "./documents.ts"

const odd: readonly Partial<RecallDocument>[] = [
  ...[undefined, 0, 1, 2, 0.5, -3, Number.NaN].map((stability) => ({ stability })),
  ...[0, 5, 10, 11, -1, Number.NaN].map((importance) => ({ importance })),
  ...[0, 1, 100, 200].map((days) => ({ recalledAtMs: nowMs - days * dayMs })),
  ...[-1, 0, 1, 299, 300, 301, 3_000].map((days) => ({ atMs: nowMs - days * dayMs })),
  ...[[], [1], [300, 50], [-2]].map((days) => ({ againAtMs: days.map((ago) => nowMs - ago * dayMs) })),
]

/** Numbers to six digits, and times as days ago. */
const shown = (value: unknown) =>
  JSON.stringify(value, (_, part) =>
    typeof part !== "number" ? part : part > 1e11 ? `${(nowMs - part) / dayMs} days ago` : Number(part.toPrecision(6)),
  )

test("what a memory's numbers do to its score, within their bounds and beyond them", async () => {
  const told = odd.map((rest) => {
    const documents = [memory("a", "green tea", rest), memory("b", "green tea in town"), memory("c", "a dog")]
    const hits = indexOf(documents).rank({ text: "tea", nowMs, limit: 9 })
    const lines = hits.map(({ id, score, why }) => {
      const signals = why.map(({ signal, value }) => `${signal} ${shown(value)}`)
      return `  ${id} ${shown(score)}: ${signals.join(", ")}`
    })
    return [shown(rest), ...lines].join("\n")
  })
  await expect(`${told.join("\n")}\n`).toMatchFileSnapshot("odd-memories.md")
})
