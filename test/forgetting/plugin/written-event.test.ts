import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { chooseByRule, readTopics } from "../../../src/forgetting/plugin/jobs/written-event.ts"

const day = (at: number, importance = 3) => ({ at, importance })

describe("the events that a summary by rule tells (R20)", () => {
  test("of a month of equal events they lie over the whole month", () => {
    const month = Array.from({ length: 30 }, (_, at) => day(at))
    expect(chooseByRule(month, "month").map(({ at }) => at)).toEqual([0, 7, 14, 29])
  })

  test("the most important ones come first, wherever they lie", () => {
    const month = Array.from({ length: 30 }, (_, at) => day(at, at === 3 || at === 4 ? 7 : 3))
    expect(chooseByRule(month, "month").map(({ at }) => at)).toEqual([3, 4, 16, 29])
  })

  test("are as many as the period tells, in order, and none left out is more important", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 40 }), (importances) => {
        const events = importances.map((importance, at) => day(at, importance))
        const chosen = chooseByRule(events, "year")
        expect(chosen).toHaveLength(Math.min(5, events.length))
        expect(chosen).toEqual(chosen.toSorted((a, b) => a.at - b.at))
        const least = Math.min(...chosen.map(({ importance }) => importance))
        for (const event of events) if (!chosen.includes(event)) expect(event.importance).toBeLessThanOrEqual(least)
      }),
    )
  })
})

test("a model's topics are read four deep, what lies deeper is left out", () => {
  const nested = (depth: number): object => ({ event: `level ${depth}`, parts: depth < 9 ? [nested(depth + 1)] : [] })
  const levels: string[] = []
  for (let topics = readTopics(JSON.stringify([nested(1)])) ?? []; topics[0]; topics = topics[0].parts)
    levels.push(topics[0].text)
  expect(levels).toEqual(["level 1", "level 2", "level 3", "level 4"])
})
