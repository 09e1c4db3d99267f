import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type EventRecord, newEvent, putEvents } from "../../../src/forgetting/events/event-record.ts"
import { defaultEventWeights, eventScore, inTime, selectEvents } from "../../../src/forgetting/events/select-events.ts"
import { type Grain, grains } from "../../../src/forgetting/events/stamp.ts"

const dayMs = 86_400_000
const clock = { by: "days" } as const
const now = { atMs: 1_000 * dayMs, turn: 1_000 }

function event(id: string, day: number, { grain = "moment", importance = 0, ...more }: Partial<EventRecord> = {}): EventRecord {
  const startMs = day * dayMs
  const made = newEvent({ id, grain, stamp: id, startMs, endMs: startMs, text: id, importance }, { atMs: startMs, turn: day })
  return { ...made, ...more }
}

const ids = (events: readonly EventRecord[]) => events.map(({ id }) => id)
const none = { year: 0, month: 0, week: 0, day: 0, moment: 0 } as const

const anyEvent = fc
  .record({
    day: fc.nat(999),
    grain: fc.constantFrom<Grain>(...grains),
    importance: fc.integer({ min: 0, max: 10 }),
    stability: fc.double({ min: 1, max: 1_000, noNaN: true }),
  })
  .map((given) => (at: number) => event(`e${at}`, given.day, given))
const anyEvents = fc.array(anyEvent, { maxLength: 60 }).map((makers) => makers.map((make, at) => make(at)))

describe("which events a prompt shows (R20, R21)", () => {
  test("R20: the newest so many of each grain", () => {
    const events = [1, 2, 3, 4].flatMap((day) => [event(`m${day}`, day), event(`d${day}`, day, { grain: "day" })])
    expect(ids(selectEvents(events, now, { keep: { moment: 2, day: 1 }, broughtBack: 0 }))).toEqual(["m3", "d4", "m4"])
  })

  test("R21: older ones come back for a high score, and stay away for a low one", () => {
    const events = [
      event("dull", 990, { importance: 2 }),
      event("wedding", 10, { importance: 10 }),
      event("old", 10, { importance: 1 }),
    ]
    expect(ids(selectEvents(events, now, { keep: none }))).toEqual(["wedding"])
    expect(ids(selectEvents(events, now, { keep: none, minScore: 0 }))).toEqual(["old", "wedding", "dull"])
  })

  test("R21: always in order of time, of one time the coarser grain first", () => {
    const events = grains.toReversed().map((grain) => event(grain, 5, { grain }))
    expect(ids(selectEvents([event("later", 6), ...events], now, { minScore: 0 }))).toEqual([...grains, "later"])
    fc.assert(
      fc.property(anyEvents, (some) => {
        const shown = selectEvents(some, now, { minScore: 0 })
        expect(shown).toEqual([...shown].sort(inTime))
      }),
    )
  })

  test("R21: what comes back is exactly the best by score of what the grains leave", () => {
    fc.assert(
      fc.property(anyEvents, fc.nat(8), (some, broughtBack) => {
        const score = (one: EventRecord) => eventScore(one, now, { weights: defaultEventWeights, clock })
        const best = some
          .map(score)
          .filter((value) => value >= 0.2)
          .sort((a, b) => b - a)
          .slice(0, broughtBack)
        const shown = selectEvents(some, now, { keep: none, broughtBack, minScore: 0.2 })
        expect(shown.map(score).sort((a, b) => b - a)).toEqual(best)
      }),
    )
  })

  test("R21: relevance counts as much as its weight says, and not at all by default", () => {
    const events = [event("bread", 980, { importance: 5 }), event("music", 990, { importance: 5 })]
    const relevance = ({ id }: EventRecord) => (id === "bread" ? 1 : 0)
    const options = { keep: none, broughtBack: 1, minScore: 0, relevance }
    expect(ids(selectEvents(events, now, options))).toEqual(["music"])
    expect(ids(selectEvents(events, now, { ...options, weights: { relevance: 0.5 } }))).toEqual(["bread"])
  })
})

describe("an event's score (R21)", () => {
  test("R21: is 0.3 of its stability, 0.4 of how well it is remembered and 0.3 of its importance", () => {
    const fresh = event("a", 1_000, { importance: 10 })
    expect(eventScore(fresh, now, { weights: defaultEventWeights, clock })).toBeCloseTo(0.3 / 8 + 0.4 + 0.3, 6)
    expect(eventScore({ ...fresh, stability: 7 }, now, { weights: defaultEventWeights, clock })).toBeCloseTo(0.15 + 0.7, 6)
  })

  test("rises with stability and importance, and falls with age", () => {
    const amount = fc.double({ min: 0.1, max: 1_000, noNaN: true })
    fc.assert(
      fc.property(amount, amount, fc.nat(999), fc.nat(999), (a, b, one, other) => {
        const score = (stability: number, day: number, importance = 5) =>
          eventScore(event("x", day, { stability, importance }), now, { weights: defaultEventWeights, clock })
        expect(score(Math.max(a, b), one)).toBeGreaterThanOrEqual(score(Math.min(a, b), one))
        expect(score(a, Math.max(one, other))).toBeGreaterThanOrEqual(score(a, Math.min(one, other)))
        expect(score(a, one, 6)).toBeGreaterThan(score(a, one, 5))
      }),
    )
  })
})

describe("a list of events", () => {
  test("holds an event that is put in twice once, in order of time", () => {
    const [a, b] = [event("a", 2), event("b", 1)]
    expect(ids(putEvents(putEvents([], [a, b]), [a]))).toEqual(["b", "a"])
  })

  test("an importance that is none, or out of bounds, is brought into them", () => {
    expect(
      [12, -1, Number.NaN].map((importance) => event("a", 1, newEvent({ ...event("a", 1), importance }, now)).importance),
    ).toEqual([10, 0, 0])
  })
})
