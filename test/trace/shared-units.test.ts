import { expect, test } from "vitest"
import { sharedUnits } from "../../src/trace/diff-assemblies.ts"

test.each<[string, string, number]>([
  ["", "", 0],
  ["a", "", 0],
  ["a", "a", 1],
  ["a", "b", 0],
  ["ab", "a", 1],
  ["a\u{10000}", "a\u{10000}", 3],
  // Of a pair of surrogates no half is shared, whichever pair it is.
  ["a\u{10000}", "a\u{10001}", 1],
  ["a\u{10ffff}", "a\u{10fffe}", 1],
  ["\u{10000}", "\ud800", 0],
  ["\ud800", "\u{10000}", 0],
  ["a\ud800", "a\ud800", 2],
  ["a\uffffb", "a\uffffc", 2],
  ["a\ud800b", "a\ud800c", 2],
])("%j and %j begin with %d equal units", (a, b, units) => {
  expect(sharedUnits(a, b)).toBe(units)
})

test.each([0, 1, 63, 64, 65, 255, 256, 257, 1_023, 1_024, 1_025, 2_048])(
  "%d equal units before a difference are counted",
  (count) => {
    const same = "x".repeat(count)
    expect([sharedUnits(`${same}a`, `${same}b`), sharedUnits(same, `${same}b`), sharedUnits(same, same)]).toEqual([
      count,
      count,
      count,
    ])
    expect(sharedUnits(`${same}😀`, `${same}😁`)).toBe(count)
  },
)
