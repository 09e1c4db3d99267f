import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type EventRecord, newEvent, putEvents } from "../../../../src/memory/forgetting/events/event-record.ts"
import { formatStamp, stampAt } from "../../../../src/memory/forgetting/events/stamp.ts"
import { zonedCalendar } from "../../../../src/memory/forgetting/events/zoned-calendar.ts"
import { dueRollUps, type RollUp } from "../../../../src/memory/forgetting/plugin/jobs/roll-up-job.ts"
import { runs, seedOf } from "../../../support/size.ts"

const hourMs = 3_600_000
const always = Number.NEGATIVE_INFINITY

function topic(atMs: number, zone = "UTC", children: readonly string[] = []): EventRecord {
  const stamp = formatStamp(stampAt("moment", atMs, zonedCalendar(zone)))
  const id = new Date(atMs).toISOString()
  return newEvent(
    { id, grain: "moment", stamp, startMs: atMs, endMs: atMs, text: stamp, importance: 1, children },
    { atMs, turn: 0 },
  )
}

/** Rolls up until nothing is due, as the background job does turn by turn. */
function rollAll(events: readonly EventRecord[], untilMs: number, zone = "UTC"): readonly EventRecord[] {
  let all = events
  for (let round = 0; round < 10; round++) {
    const due = dueRollUps(all, { sinceMs: always, untilMs }, zonedCalendar(zone))
    if (due.length === 0) return all
    const records = due.map(({ children, ...rollUp }) =>
      newEvent(
        { ...rollUp, text: rollUp.stamp, importance: 1, children: children.map(({ id }) => id) },
        { atMs: untilMs, turn: 0 },
      ),
    )
    all = putEvents(all, records)
  }
  throw new Error("it never ends")
}

const stamps = (events: readonly EventRecord[], grain: string) =>
  events.filter((event) => event.grain === grain).map(({ stamp }) => stamp)

describe("roll-ups (R20)", () => {
  test("R20: a day is due once it is over, not before", () => {
    const events = [topic(Date.UTC(2026, 1, 8, 20)), topic(Date.UTC(2026, 1, 8, 23, 59))]
    const midnight = Date.UTC(2026, 1, 9)
    expect(dueRollUps(events, { sinceMs: always, untilMs: midnight - 1 }, zonedCalendar("UTC"))).toEqual([])
    const [day] = dueRollUps(events, { sinceMs: always, untilMs: midnight }, zonedCalendar("UTC"))
    expect([day?.id, day?.stamp, day?.children.length]).toEqual(["day:20260208", "20260208", 2])
  })

  test("R20: days become weeks and months, months years, each with links to what it summarises", () => {
    const days = Array.from({ length: 400 }, (_, day) => topic(Date.UTC(2025, 0, 1, 12) + day * 24 * hourMs))
    const all = rollAll(days, Date.UTC(2026, 1, 1))
    expect(stamps(all, "year")).toEqual(["2025年"])
    expect(stamps(all, "month")).toEqual([...Array.from({ length: 12 }, (_, month) => `2025年${month + 1}月`), "2026年1月"])
    expect(stamps(all, "week").slice(0, 2)).toEqual(["20241229-20250104", "20250105-20250111"])
    const iso = dueRollUps(all, { sinceMs: always, untilMs: Date.UTC(2025, 1, 1), weeks: "iso" }, zonedCalendar("UTC"))
    expect(iso.map(({ stamp }) => stamp).slice(0, 2)).toEqual(["20241230-20250105", "20250106-20250112"])
    const byId = new Map(all.map((event) => [event.id, event]))
    const year = all.find(({ grain }) => grain === "year")
    const months = year?.children.map((id) => byId.get(id)) ?? []
    expect(months.every((month) => month?.grain === "month")).toBe(true)
    expect(months.flatMap((month) => month?.children ?? []).map((id) => byId.get(id)?.grain)).toEqual(Array(365).fill("day"))
    expect(all.filter(({ grain }) => grain === "day").every(({ children }) => children.length === 1)).toBe(true)
  })

  test("R20: a week waits for its days, so that none is left out", () => {
    const due = dueRollUps(
      [topic(Date.UTC(2026, 1, 4)), topic(Date.UTC(2026, 1, 6))],
      { sinceMs: always, untilMs: Date.UTC(2026, 2, 2) },
      zonedCalendar("UTC"),
    )
    expect(due.map(({ id }) => id)).toEqual(["day:20260204", "day:20260206"])
  })

  test("R20: parts of a topic are left to their topic", () => {
    const part = topic(Date.UTC(2026, 1, 4, 13))
    const whole = topic(Date.UTC(2026, 1, 4, 12), "UTC", [part.id])
    const [day] = dueRollUps([whole, part], { sinceMs: always, untilMs: Date.UTC(2026, 1, 5) }, zonedCalendar("UTC"))
    expect(day?.children).toEqual([whole])
  })

  test("R20: days are those of the time zone, also where a day has 23 or 25 hours", () => {
    const zone = "America/New_York"
    const hours = Array.from({ length: 24 * 5 }, (_, hour) => topic(Date.UTC(2026, 2, 6, 5) + hour * hourMs, zone))
    const all = rollAll(hours, Date.UTC(2026, 3, 1), zone)
    const counts = all.filter(({ grain }) => grain === "day").map(({ stamp, children }) => [stamp, children.length])
    expect(counts).toEqual([
      ["20260306", 24],
      ["20260307", 24],
      ["20260308", 23],
      ["20260309", 24],
      ["20260310", 24],
      ["20260311", 1],
    ])
  })

  test("what ended before the last time is not looked at again", () => {
    const events = [topic(Date.UTC(2026, 1, 1)), topic(Date.UTC(2026, 1, 3))]
    const due = dueRollUps(events, { sinceMs: Date.UTC(2026, 1, 3), untilMs: Date.UTC(2026, 1, 4) }, zonedCalendar("UTC"))
    expect(due.map(({ id }) => id)).toEqual(["day:20260203"])
  })
})

const dayMs = 24 * hourMs
const finer = { day: "moment", week: "day", month: "day", year: "month" } as const
type Period = keyof typeof finer

/** The period in UTC in which a time lies, by the calendar of JavaScript alone. */
function periodOf(grain: Period, atMs: number, weeks: "sunday" | "iso") {
  const date = new Date(atMs)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (grain === "year") return { startMs: Date.UTC(year, 0), endMs: Date.UTC(year + 1, 0) }
  if (grain === "month") return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) }
  const sinceFirst = weeks === "iso" ? (date.getUTCDay() || 7) - 1 : date.getUTCDay()
  const startMs = Date.UTC(year, month, grain === "week" ? day - sinceFirst : day)
  return { startMs, endMs: startMs + (grain === "week" ? 7 : 1) * dayMs }
}

/** The due periods, each found by looking at every event. */
function naiveDue(events: readonly EventRecord[], window: { sinceMs: number; untilMs: number; weeks: "sunday" | "iso" }) {
  const { sinceMs, untilMs, weeks } = window
  const isPart = ({ id }: EventRecord) => events.some(({ grain, children }) => grain === "moment" && children.includes(id))
  const due: { grain: Period; startMs: number; endMs: number; children: readonly string[] }[] = []
  for (const grain of ["day", "week", "month", "year"] as const) {
    const drawn = events.filter(
      (event) => event.grain === finer[grain] && !isPart(event) && (grain !== "day" || event.startMs >= sinceMs),
    )
    const starts = new Set(drawn.map(({ startMs }) => periodOf(grain, startMs, weeks).startMs))
    for (const startMs of starts) {
      const period = periodOf(grain, startMs, weeks)
      const isIn = ({ startMs: at }: EventRecord) => at >= period.startMs && at < period.endMs
      const isKnown = events.some((event) => event.grain === grain && event.startMs === period.startMs && event.id !== "other")
      const waits = due.some(
        (one) =>
          (one.grain === "day" ? grain !== "day" : one.grain === "month" && grain === "year") &&
          one.startMs < period.endMs &&
          one.endMs > period.startMs,
      )
      if (isKnown || waits || period.endMs <= sinceMs || period.endMs > untilMs) continue
      due.push({ grain, ...period, children: drawn.filter(isIn).map(({ id }) => id) })
    }
  }
  return due
}

test("R20: what is due is what a look at every event and every period finds", () => {
  const firstMs = Date.UTC(2025, 11, 20)
  const quarters = fc.nat(4 * 50)
  const atOf = (quarter: number) => firstMs + (quarter * dayMs) / 4
  const anyEvents = fc.array(fc.record({ quarter: quarters, parts: fc.array(quarters, { maxLength: 1 }) }), { maxLength: 25 })
  const known = fc.array(fc.record({ grain: fc.constantFrom<Period>("day", "day", "day", "week", "month"), at: quarters }), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(
      anyEvents,
      known,
      quarters,
      quarters,
      fc.constantFrom("sunday", "iso"),
      (topics, records, since, until, weeks) => {
        const idOf = (quarter: number) => new Date(atOf(quarter)).toISOString()
        const moments = topics.map(({ quarter, parts }) =>
          topic(atOf(quarter), "UTC", parts.filter((part) => part !== quarter).map(idOf)),
        )
        const rolled = records.map(({ grain, at }) => {
          const period = periodOf(grain, atOf(at), weeks)
          const stamp = formatStamp(stampAt(grain, period.startMs, zonedCalendar("UTC"), weeks))
          const made = { id: `${grain}:${stamp}`, grain, stamp, ...period, text: stamp, importance: 1 }
          return newEvent(made, { atMs: period.endMs, turn: 0 })
        })
        const events = putEvents([], [...moments, ...rolled])
        const window = { sinceMs: since % 3 === 0 ? always : atOf(since), untilMs: atOf(until), weeks }
        const shown = ({ grain, startMs, endMs, children }: RollUp) => ({
          grain,
          startMs,
          endMs,
          children: children.map(({ id }) => id),
        })
        expect(dueRollUps(events, window, zonedCalendar("UTC")).map(shown)).toEqual(naiveDue(events, window))
      },
    ),
    { numRuns: runs(3_000), seed: seedOf(52) },
  )
})
