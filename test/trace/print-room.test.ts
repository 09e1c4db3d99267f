import { expect, test } from "vitest"
import { printRoom } from "../../src/trace/print-assembly.ts"

test.each([
  [0, /^30 of 100 [^,]*: it is full; /],
  [1, /^30 of 100 [^,]*, 1 of them [^,]*: it is full; /],
])("the room of a cut history, of which a turn may need %d tokens", (reservedTokens, printed) => {
  expect(printRoom({ budgetTokens: 100, freeTokens: 30, reservedTokens, reason: "it is full" })).toMatch(printed)
})
