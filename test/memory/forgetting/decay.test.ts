import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { maxStabilityDays, retrievability } from "../../../src/core/retrievability.ts"
import { daysBetween, decayPresets, type ForgettingClock, reviewStability } from "../../../src/memory/forgetting/decay.ts"

const stability = fc.double({ min: 0.01, max: maxStabilityDays, noNaN: true })
const days = fc.double({ min: 0, max: 40_000, noNaN: true })
const difficulty = fc.double({ min: 0, max: 10, noNaN: true })
const use = fc.constantFrom("used" as const, "maybe-used" as const)
const turnsSince = fc.nat(20)

describe("the forgetting curve (R17, R19)", () => {
  test.each([
    [1, 1, 0.9],
    [1, 7, 0.478297],
    [1, 30, 0.042391],
    [2, 7, 0.69159],
  ])("with stability %d, after %d days, is at %d", (stable, after, expected) => {
    expect(retrievability({ stability: stable, days: after })).toBeCloseTo(expected, 6)
  })

  test("rises with stability and falls with time", () => {
    fc.assert(
      fc.property(stability, stability, days, days, (a, b, near, far) => {
        const [weak, strong] = [Math.min(a, b), Math.max(a, b)]
        const [early, late] = [Math.min(near, far), Math.max(near, far)]
        expect(retrievability({ stability: strong, days: late })).toBeGreaterThanOrEqual(
          retrievability({ stability: weak, days: late }),
        )
        expect(retrievability({ stability: weak, days: early })).toBeGreaterThanOrEqual(
          retrievability({ stability: weak, days: late }),
        )
      }),
    )
  })

  test("a clock that runs backwards, or is broken, counts as no time", () => {
    expect([-5, Number.NaN, Number.NEGATIVE_INFINITY].map((odd) => retrievability({ stability: 1, days: odd }))).toEqual([
      1, 1, 1,
    ])
  })
})

describe("a review (R17–R19)", () => {
  const once = { stability: 1, use: "used", turnsSince: 8 } as const
  test.each([
    [1, 0, 1.5],
    [1, 0.7, 1.248293],
    [1, 2, 1.067668],
    [1, 2.7, 1.033603],
    [10, 0, 4.256608],
    [10, 0.7, 2.617184],
  ])("after %d days with difficulty %d leads to %d", (after, difficult, expected) => {
    expect(reviewStability({ ...once, days: after, difficulty: difficult })).toBeCloseTo(expected, 6)
  })

  test("has the event's gain in the other preset", () => {
    expect(reviewStability({ ...once, days: 1, preset: "event", difficulty: 0 })).toBeCloseTo(1.03, 6)
    expect(reviewStability({ ...once, days: 1, preset: "event" })).toBeCloseTo(1 + 0.3 * Math.exp(-1) * 0.1, 6)
  })

  test("strengthens nothing under max_jump_mini turns, little under max_jump_large, then in full (R18)", () => {
    const grown = (turns: number) => reviewStability({ stability: 1, days: 1, use: "used", turnsSince: turns })
    expect([0, 2].map(grown)).toEqual([1, 1])
    for (const turns of [3, 7]) expect(grown(turns)).toBeCloseTo(1.067668, 6)
    for (const turns of [8, 99]) expect(grown(turns)).toBeCloseTo(1.5, 6)
  })

  test("strengthens what was perhaps used as with difficulty 0.7", () => {
    expect(reviewStability({ ...once, days: 1, use: "maybe-used" })).toBeCloseTo(1.248293, 6)
  })

  test("never weakens, falls with difficulty, and stays finite, positive and capped", () => {
    fc.assert(
      fc.property(stability, days, use, turnsSince, difficulty, difficulty, (stable, after, kind, turns, a, b) => {
        const review = (hard: number) =>
          reviewStability({ stability: stable, days: after, use: kind, turnsSince: turns, difficulty: hard })
        expect(review(a)).toBeGreaterThanOrEqual(stable)
        expect(review(Math.min(a, b))).toBeGreaterThanOrEqual(review(Math.max(a, b)))
        expect(review(a)).toBeLessThanOrEqual(maxStabilityDays)
      }),
    )
  })

  test("of nonsense is that of a new thing", () => {
    for (const odd of [0, -3, Number.NaN]) expect(reviewStability({ ...once, stability: odd, days: 1 })).toBeCloseTo(1.5, 6)
    expect(reviewStability({ ...once, stability: Number.POSITIVE_INFINITY, days: 1 })).toBe(maxStabilityDays)
  })

  test("takes any number of its own", () => {
    expect(reviewStability({ ...once, days: 1, gain: 1 })).toBeCloseTo(1.1, 6)
    expect(reviewStability({ ...once, turnsSince: 1, days: 1, settings: { maxJumpMini: 0, maxJumpLarge: 0 } })).toBeCloseTo(
      1.5,
      6,
    )
    expect(Object.keys(decayPresets)).toEqual(["workspace", "event"])
  })
})

const dayMs = 86_400_000
const turns: ForgettingClock = { by: "turns", turnsPerDay: 20 }

describe("what time means for forgetting (R17)", () => {
  test.each([
    { name: "days", clock: { by: "days" } as const, from: { atMs: 0, turn: 0 }, to: { atMs: 1.5 * dayMs, turn: 900 }, days: 1.5 },
    { name: "turns", clock: turns, from: { atMs: 0, turn: 10 }, to: { atMs: 90 * dayMs, turn: 40 }, days: 1.5 },
    {
      name: "a clock that runs backwards",
      clock: { by: "days" } as const,
      from: { atMs: dayMs, turn: 0 },
      to: { atMs: 0, turn: 1 },
      days: 0,
    },
    { name: "turns that run backwards", clock: turns, from: { atMs: 0, turn: 9 }, to: { atMs: 0, turn: 3 }, days: 0 },
  ])("$name", ({ clock, from, to, days }) => {
    expect(daysBetween(clock, from, to)).toBe(days)
  })
})
