import { describe, expect, test } from "vitest"
import { daysBetween, type ForgettingClock } from "../../src/forgetting/decay.ts"

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
