import { expect, test } from "vitest"
import { printReceipts, type Receipt } from "../../../../src/memory/services/store/receipt.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
const receipt = (kind: string, rest: Partial<Receipt>): Receipt => ({
  key,
  turnId: "t",
  kind,
  outcome: "ok",
  attempt: 1,
  startedMs: 0,
  durationMs: 5,
  ...rest,
})

test("printReceipts tells of each piece of work in a line, and last what all of it cost", () => {
  const receipts = [
    receipt("importance", { attempt: 2, model: "m", message: "importance 7", usage: { inputTokens: 30, outputTokens: 2 } }),
    receipt("profile", { outcome: "failed", model: "m", message: "over\n\u001b[31mloaded", usage: { inputTokens: 12 } }),
    receipt("store", { outcome: "skipped" }),
  ]
  expect(printReceipts(receipts).split("\n")).toEqual([
    "importance ok (5 ms, attempt 2): importance 7",
    "profile failed (5 ms): over [31mloaded",
    "store skipped (5 ms)",
    "3 model calls · 42 tokens in, 2 out",
  ])
  expect(printReceipts([])).toBe("0 model calls")
})
