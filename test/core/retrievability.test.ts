import { describe, expect, test } from "vitest"
import { boundedStability, maxStabilityDays, retrievability, strengthened } from "../../src/core/retrievability.ts"

const odd: readonly unknown[] = [undefined, null, "3", true, {}, [1]]

describe("retrievability", () => {
  test.each(odd)("refuses %j for either number, and says which it expected", (value) => {
    for (const given of [
      { stability: value, days: 1 },
      { stability: 1, days: value },
      { days: value, stability: value },
    ])
      expect(() => retrievability(given as never)).toThrow(
        expect.objectContaining({ code: "usage", message: "retrievability expected { stability, days }, both numbers." }),
      )
  })

  test("is 1 at once, and 0.9 after as many days as the stability says, up to a hundred years", () => {
    for (const stability of [0.01, 1, 2.5, 400, maxStabilityDays]) {
      expect(retrievability({ stability, days: 0 })).toBe(1)
      expect(retrievability({ stability, days: stability })).toBeCloseTo(0.9, 12)
      expect(retrievability({ stability, days: 2 * stability })).toBeCloseTo(0.81, 12)
    }
    expect(maxStabilityDays).toBe(36_500)
    expect(retrievability({ stability: 99_999, days: 36_500 })).toBeCloseTo(0.9, 12)
  })
})

test.each([
  [0, 1],
  [-1, 1],
  [Number.NaN, 1],
  [Number.NEGATIVE_INFINITY, 1],
  [0.001, 0.001],
  [1, 1],
  [36_499, 36_499],
  [36_500, 36_500],
  [36_501, 36_500],
  [Number.POSITIVE_INFINITY, 36_500],
])("the stability %d counts as %d", (given, counted) => {
  expect(boundedStability(given)).toBe(counted)
  // All that reads a stability reads it so.
  for (const days of [0, 1, 30]) {
    expect(retrievability({ stability: given, days })).toBe(retrievability({ stability: counted, days }))
    expect(strengthened({ stability: given, days, gain: 2 })).toBe(strengthened({ stability: counted, days, gain: 2 }))
  }
})

describe("coming up again", () => {
  test.each([
    [1, 1, 5, 1.5],
    [2, 2, 5, 3],
    [2, 4, 1, 2.38],
    [10, 0, 5, 10],
    [10, -3, 5, 10],
    [10, 10, 0, 10],
    [10, 10, -4, 10],
    [36_000, 36_000, 5, 36_500],
  ])("stability %d after %d days with a gain of %d becomes %d", (stability, days, gain, after) => {
    expect(strengthened({ stability, days, gain })).toBeCloseTo(after, 9)
  })
})
