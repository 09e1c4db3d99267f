import { expect, test } from "vitest"
import { readStoreRow, readStoreRows } from "../../../src/services/store/store-row.ts"

test.each([
  ["{}", "no table is named"],
  ["3", "no table is named"],
  ['{"table": "cats"}', 'the table "cats" is unknown'],
])("the line %s of an export is refused: %s", (line, words) => {
  expect(() => readStoreRow(line, 7)).toThrow(words)
})

test.each([0.5, -2, 1, 7])("a message that follows %d is refused where one message stands before it", async (follows) => {
  const row = {
    table: "message",
    agent: "a",
    conversation: "c",
    audience: "private",
    message: { role: "user", turnId: "t", speaker: { id: "a", name: "A" }, text: "hi", atMs: 1 },
  }
  const lines = (given: number) => [row, { ...row, follows: given }].map((line) => JSON.stringify(line))
  await expect(readStoreRows(lines(follows))).rejects.toThrow("follows one of the 1 before it, or none (-1)")
  for (const fine of [-1, 0]) expect(await readStoreRows(lines(fine))).toHaveLength(2)
})
