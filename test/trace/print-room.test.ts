import { expect, test } from "vitest"
import { printRoom } from "../../src/trace/print-assembly.ts"

test.each([
  [0, '30 of 100 tokens are free: it is full; window = "fill" in [history] cuts no more than needed'],
  [
    1,
    '30 of 100 tokens are free, 1 of them for what the turn adds: it is full; window = "fill" in [history] cuts no more than needed',
  ],
])("the room of a cut history, of which a turn may need %d tokens", (reservedTokens, printed) => {
  expect(printRoom({ budgetTokens: 100, freeTokens: 30, reservedTokens, reason: "it is full" })).toBe(printed)
})
