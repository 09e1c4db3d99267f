import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type EventRecord, newEvent, putEvents } from "../../../../src/memory/forgetting/events/event-record.ts"
import { defaultEventWeights, eventScore, inTime, selectEvents } from "../../../../src/memory/forgetting/events/select-events.ts"
import {
  formatStamp,
  type Grain,
  grains,
  parseStamp,
  type Stamp,
  stampAt,
  stampRange,
  type WeekKind,
  weekKinds,
} from "../../../../src/memory/forgetting/events/stamp.ts"
import { type ZonedCalendar, zonedCalendar } from "../../../../src/memory/forgetting/events/zoned-calendar.ts"
import { dueRollUps } from "../../../../src/memory/forgetting/plugin/jobs/roll-up-job.ts"
import { runs, seedOf } from "../../../support/size.ts"

const dayMs = 86_400_000
const clock = { by: "days" } as const
const now = { atMs: 1_000 * dayMs, turn: 1_000 }

function event(id: string, day: number, { grain = "moment", importance = 0, ...more }: Partial<EventRecord> = {}): EventRecord {
  const startMs = day * dayMs
  const made = newEvent({ id, grain, stamp: id, startMs, endMs: startMs, text: id, importance }, { atMs: startMs, turn: day })
  return { ...made, ...more }
}

const back = ({ id }: EventRecord) => (id === "day" ? 0 : 1)
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
  test("R20: each stretch of time once, at the coarsest grain, of each the newest so many", () => {
    const events = [1, 2, 3, 4].flatMap((day) => [event(`m${day}`, day), event(`d${day}`, day, { grain: "day" })])
    expect(ids(selectEvents(events, now, { keep: { day: 1 }, broughtBack: 0 }))).toEqual(["m1", "m2", "m3", "d4"])
    expect(ids(selectEvents(events, now, { keep: { moment: 2, day: 1 }, broughtBack: 0 }))).toEqual(["m2", "m3", "d4"])
    expect(ids(selectEvents(events, now, { broughtBack: 0 }))).toEqual(["d1", "d2", "d3", "d4"])
  })

  test("R20: a record that reaches into the time of a coarser one is left out, whichever begins first", () => {
    const february = event("february", 31, { grain: "month", endMs: 59 * dayMs })
    const before = event("week before", 28, { grain: "week", endMs: 35 * dayMs })
    const within = event("week within", 35, { grain: "week", endMs: 42 * dayMs })
    const after = event("week after", 59, { grain: "week", endMs: 66 * dayMs })
    expect(ids(selectEvents([february, before, within, after], now, { broughtBack: 0 }))).toEqual(["february", "week after"])
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

  test("R20: events that a topic holds are shown as the topic alone", () => {
    const events = [event("a", 1), event("b", 2), event("topic", 1, { children: ["a", "b"] }), event("c", 3)]
    expect(ids(selectEvents(events, now, { keep: { ...none, moment: 9 }, broughtBack: 0 }))).toEqual(["topic", "c"])
  })

  test("R30: words that are shown already come back only if they are spoken of", () => {
    const chain = { text: "The chain came off." }
    const old = event("old", 1, { ...chain, importance: 10, stability: 500 })
    const cat = event("cat", 2, { importance: 10, stability: 400 })
    const events = [old, cat, event("new", 999, chain)]
    const options = { keep: { moment: 1 }, broughtBack: 1 }
    expect(ids(selectEvents(events, now, options))).toEqual(["cat", "new"])
    expect(ids(selectEvents(events, now, { ...options, relevance: ({ text }) => (text === chain.text ? 1 : 0) }))).toEqual([
      "old",
      "new",
    ])
  })

  test("R21: three come back unless another number is given", () => {
    const events = Array.from({ length: 6 }, (_, at) => event(`e${at}`, at, { importance: 10 - at }))
    expect(ids(selectEvents(events, now, { keep: none, minScore: 0 }))).toEqual(["e0", "e1", "e2"])
    expect(ids(selectEvents(events, now, { keep: none, minScore: 0, broughtBack: 1 }))).toEqual(["e0"])
  })

  test("R21: always in order of time, of one time the coarser grain first", () => {
    const events = grains.toReversed().map((grain) => event(grain, 5, { grain }))
    const keep = { ...none, day: 1 }
    const shown = selectEvents([event("later", 6), ...events], now, { keep, minScore: 0, broughtBack: 9, relevance: back })
    expect(ids(shown)).toEqual([...grains, "later"])
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

  test("R21: what is spoken of comes back first, unless relevance has no weight", () => {
    const events = [event("bread", 980, { importance: 5 }), event("music", 990, { importance: 5 })]
    const relevance = ({ id }: EventRecord) => (id === "bread" ? 1 : 0)
    const options = { keep: none, broughtBack: 1, minScore: 0, relevance }
    expect(ids(selectEvents(events, now, options))).toEqual(["bread"])
    expect(ids(selectEvents(events, now, { ...options, weights: { relevance: 0 } }))).toEqual(["music"])
  })

  test("R21: an event comes back beside the record of its time only if that does not do for it", () => {
    const told = { importance: 6, children: ["bread", "music"] }
    const events = [
      event("day", 980, { grain: "day", endMs: 981 * dayMs, ...told }),
      event("bread", 980, { importance: 6 }),
      event("music", 980, { importance: 2 }),
    ]
    const keep = { ...none, day: 1 }
    const shown = (relevance?: (one: EventRecord) => number) =>
      ids(selectEvents(events, now, { keep, ...(relevance && { relevance }) }))
    expect(shown()).toEqual(["day"])
    expect(shown(({ id }) => (id === "music" ? 0.5 : 0))).toEqual(["day", "music"])
    expect(
      shown(() => 0.5),
      "the day tells as much",
    ).toEqual(["day"])
    const change = (id: string, changed: Partial<EventRecord>) =>
      ids(
        selectEvents(
          events.map((one) => (one.id === id ? { ...one, ...changed } : one)),
          now,
          { keep },
        ),
      )
    const often = { stability: 2, recalled: { atMs: 999 * dayMs, turn: 999 } }
    expect(change("bread", often), "it came up more often").toEqual(["day", "bread"])
    expect(change("bread", { ...often, text: "day" }), "it came up more often, but the day tells it").toEqual(["day"])
    expect(change("bread", { importance: 10 }), "it matters more").toEqual(["day", "bread"])
  })

  describe("R21: the edges of what comes back", () => {
    const day = event("day", 980, { grain: "day", endMs: 981 * dayMs, importance: 6, text: "bread tea milk" })
    const weights = { stability: 0, retrievability: 0, importance: 1, relevance: 0 }
    const keep = { ...none, day: 1 }
    const isBack = (changed: Partial<EventRecord>, options: Parameters<typeof selectEvents>[2] = {}) =>
      selectEvents([day, event("m", 980, { text: "soup", ...changed })], now, { keep, minScore: 0, ...options }).length === 2
    test.each([
      ["more important by two than its record", isBack({ importance: 8 }), true],
      ["more important by less", isBack({ importance: 7.99 }), false],
      ["more stable by half a day", isBack({ stability: day.stability + 0.5 }), true],
      ["more stable by less", isBack({ stability: day.stability + 0.49 }), false],
      ["with just the least score", isBack({ importance: 8 }, { weights, minScore: 0.8 }), true],
      ["with less than the least score", isBack({ importance: 8 }, { weights, minScore: 0.81 }), false],
      ["with 0.3, the default", isBack({ importance: 3 }, { weights, keep: none, minScore: undefined as never }), true],
      ["half told by its record", isBack({ importance: 10, text: "bread soup" }), false],
      ["told by less than half", isBack({ importance: 10, text: "bread soup stew" }), true],
    ])("an event %s", (_, found, expected) => {
      expect(found).toBe(expected)
    })

    test.each([
      ["just spoken of", 0.4, 0, true],
      ["not quite spoken of", 0.39, 0, false],
      ["spoken of twice as well as its record", 0.8, 0.4, false],
      ["spoken of more than twice as well", 0.8, 0.39, true],
    ])("an event that is %s", (_, own, its, expected) => {
      const relevance = ({ id }: EventRecord) => (id === "day" ? its : own)
      expect(isBack({ importance: 0 }, { relevance })).toBe(expected)
      expect(isBack({ importance: 0 }, { relevance, weights: { relevance: 0 } }), "without a weight").toBe(false)
    })

    test("the day lasts to its end, and a record without a length for a moment", () => {
      const at = (startMs: number) => isBack({ startMs, importance: 2 })
      expect([980 * dayMs, 981 * dayMs - 1, 981 * dayMs, 980 * dayMs - 1].map(at)).toEqual([false, false, true, true])
      const short = { ...day, endMs: day.startMs }
      const beside = (startMs: number) =>
        ids(selectEvents([short, event("m", 980, { startMs })], now, { keep, minScore: 0 })).length
      expect([day.startMs, day.startMs + 1].map(beside)).toEqual([1, 2])
    })

    test("a record whose events are there does not come back, nor do the parts of a topic that does", () => {
      const events = [
        event("old day", 10, { grain: "day", children: ["a"], importance: 9 }),
        event("a", 10, { importance: 10, children: ["part"] }),
        event("part", 10, { importance: 10 }),
        event("lone day", 20, { grain: "day", children: ["forgotten"], importance: 10 }),
      ]
      expect(ids(selectEvents(events, now, { keep: none }))).toEqual(["a", "lone day"])
      expect(ids(selectEvents(events, now, { keep: none, broughtBack: 1 }))).toEqual(["a"])
      expect(ids(selectEvents(events, now, { keep: none, broughtBack: 0 }))).toEqual([])
    })
  })

  test("R20: the newest records give way to finer ones while there is room", () => {
    const days = [1, 2, 3].map((day) =>
      event(`d${day}`, 990 + day, { grain: "day", endMs: (991 + day) * dayMs, children: [`m${day}`] }),
    )
    const events = [...days, ...[1, 2, 3].map((day) => event(`m${day}`, 990 + day))]
    const shown = (shownCharacters: number) => ids(selectEvents(events, now, { shownCharacters, broughtBack: 0 }))
    expect(shown(99)).toEqual(["m1", "m2", "m3"])
    expect(shown(5)).toEqual(["d1", "d2", "d3"])
    const longer = events.map((one) => (one.id.startsWith("m") ? { ...one, text: "longer" } : one))
    expect(ids(selectEvents(longer, now, { shownCharacters: 10, broughtBack: 0 }))).toEqual(["d1", "d2", "m3"])
    const partly = events.filter(({ id }) => id !== "m3")
    expect(ids(selectEvents(partly, now, { broughtBack: 0 })), "a day whose topics were forgotten").toEqual(["d1", "d2", "d3"])
  })

  test("R20: no stretch of time is shown twice, whatever the time zone, the weeks and the room", () => {
    const zones = fc.constantFrom("UTC", "Asia/Shanghai", "America/New_York")
    const talk = fc.array(fc.record({ days: fc.integer({ min: 0, max: 9 }), hours: fc.integer({ min: 0, max: 14 }) }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(talk, zones, fc.constantFrom(...weekKinds), fc.nat(4_000), (gaps, zone, weeks, shownCharacters) => {
        const calendar = zonedCalendar(zone)
        const { events, endMs } = lived(gaps, calendar, weeks)
        const shown = selectEvents(events, { atMs: endMs, turn: 99 }, { shownCharacters })
        const ranges = shown.map(({ stamp }) => stampRange(parseStamp(stamp) as Stamp, calendar))
        for (const [at, { startMs }] of ranges.entries()) expect(startMs).toBeGreaterThanOrEqual(ranges[at - 1]?.endMs ?? 0)
        const told = new Set(shown.flatMap((record) => topicsUnder(record, events)))
        const newest = events.filter(({ grain }) => grain === "moment").slice(-5)
        for (const topic of newest) expect(told, "the newest are all there").toContain(topic.id)
      }),
      { numRuns: runs(400), seed: seedOf(20) },
    )
  })
})

const topicsUnder = ({ id, grain, children }: EventRecord, events: readonly EventRecord[]): readonly string[] =>
  grain === "moment"
    ? [id]
    : children.flatMap((child) => topicsUnder(events.find((one) => one.id === child) as EventRecord, events))

/** Topics with such gaps between them, rolled up as the background job does it. */
function lived(
  gaps: readonly { readonly days: number; readonly hours: number }[],
  calendar: ZonedCalendar,
  weeks: WeekKind,
): { readonly events: readonly EventRecord[]; readonly endMs: number } {
  let [events, atMs]: [readonly EventRecord[], number] = [[], Date.UTC(2025, 10, 3)]
  for (const [turn, { days, hours }] of gaps.entries()) {
    atMs += days * dayMs + hours * 3_600_000 + 60_000
    const stamp = formatStamp(stampAt("moment", atMs, calendar))
    const topic = newEvent(
      {
        id: `t${turn}`,
        grain: "moment",
        stamp,
        startMs: atMs,
        endMs: atMs,
        text: "x".repeat((turn * 37) % 110),
        importance: turn % 11,
      },
      { atMs, turn },
    )
    events = putEvents(events, [topic])
    for (let round = 0; round < 4; round++) {
      const due = dueRollUps(events, { sinceMs: Number.NEGATIVE_INFINITY, untilMs: atMs, weeks }, calendar)
      const records = due.map(({ children, ...rollUp }) => {
        const importance = Math.max(...children.map((child) => child.importance))
        const text = "y".repeat((children.length * 37) % 300)
        return newEvent({ ...rollUp, text, importance, children: children.map(({ id }) => id) }, { atMs, turn })
      })
      events = putEvents(events, records)
    }
  }
  return { events, endMs: atMs }
}

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
