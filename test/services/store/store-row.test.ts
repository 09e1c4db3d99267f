import { expect, test } from "vitest"
import { readStoreRow } from "../../../src/services/store/store-row.ts"

test.each([
  ["{}", "no table is named"],
  ["3", "no table is named"],
  ['{"table": "cats"}', 'the table "cats" is unknown'],
])("the line %s of an export is refused: %s", (line, words) => {
  expect(() => readStoreRow(line, 7)).toThrow(words)
})
