import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  formatEventLine,
  formatStamp,
  parseEventLine,
  parseStamp,
  type Stamp,
  stampAt,
  stampIn,
  stampRange,
  type WeekKind,
} from "../../../../src/memory/forgetting/events/stamp.ts"
import { zonedCalendar } from "../../../../src/memory/forgetting/events/zoned-calendar.ts"

const moments = fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2120, 0, 1) })
const zones = fc.constantFrom(
  "UTC",
  "Asia/Shanghai",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/Havana",
)
const grain = fc.constantFrom("year" as const, "month" as const, "week" as const, "day" as const, "moment" as const)

const written: readonly [string, Stamp][] = [
  ["2025年", { grain: "year", year: 2025 }],
  ["2026年1月", { grain: "month", year: 2026, month: 1 }],
  ["20260208-20260214", { grain: "week", first: { year: 2026, month: 2, day: 8 }, last: { year: 2026, month: 2, day: 14 } }],
  ["20260208", { grain: "day", year: 2026, month: 2, day: 8 }],
  ["20260216 3:16", { grain: "moment", year: 2026, month: 2, day: 16, hour: 3, minute: 16 }],
]

describe("the stamps of events (R20)", () => {
  test.each(written)("R20: %s is printed and read in this form", (text, stamp) => {
    expect(formatStamp(stamp)).toBe(text)
    expect(parseStamp(text)).toEqual(stamp)
  })

  test("R20: 2020.10.12 19:52 is read and not written", () => {
    const stamp = parseStamp("2020.10.12 19:52")
    expect(stamp).toEqual({ grain: "moment", year: 2020, month: 10, day: 12, hour: 19, minute: 52 })
    expect(stamp && formatStamp(stamp)).toBe("20201012 19:52")
  })

  test("R20: what is printed is read again, whatever the moment, the zone and the grain", () => {
    fc.assert(
      fc.property(moments, zones, grain, fc.string(), (atMs, zone, kind, text) => {
        const stamp = stampAt(kind, atMs, zonedCalendar(zone))
        expect(parseStamp(formatStamp(stamp))).toEqual(stamp)
        expect(parseEventLine(formatEventLine(stamp, text))).toEqual({ stamp, text })
      }),
    )
  })

  test("a stamp's stretch of time holds the moment, and the next one begins where it ends", () => {
    fc.assert(
      fc.property(
        moments,
        zones,
        fc.constantFrom("year" as const, "month" as const, "week" as const, "day" as const),
        (atMs, zone, kind) => {
          const calendar = zonedCalendar(zone)
          const { startMs, endMs } = stampRange(stampAt(kind, atMs, calendar), calendar)
          expect(startMs <= atMs && atMs < endMs).toBe(true)
          expect(stampRange(stampAt(kind, endMs, calendar), calendar).startMs).toBe(endMs)
          expect(formatStamp(stampAt(kind, endMs - 1, calendar))).toBe(formatStamp(stampAt(kind, startMs, calendar)))
        },
      ),
    )
  })

  test.each([
    "",
    "2026",
    "20260230",
    "20261301",
    "20260216 25:00",
    "20260216 3:60",
    "x20260216",
    "20260216x",
    "2026年13月",
    "20260208-20260230",
    "20260214-20260208",
    "20260208-20250214",
    "20260208-20260213",
    "20260208-20260215",
    "20260208-20270301",
  ])("%j is no stamp", (text) => {
    expect(parseStamp(text)).toBeUndefined()
  })

  test("R20: weeks run from Sunday to Saturday, or as in ISO 8601 from Monday, over the turn of the year", () => {
    const calendar = zonedCalendar("UTC")
    const week = (atMs: number, weeks?: WeekKind) => formatStamp(stampAt("week", atMs, calendar, weeks))
    const [saturday, sunday, newYear] = [Date.UTC(2026, 1, 7, 23, 59), Date.UTC(2026, 1, 8), Date.UTC(2027, 0, 2)]
    expect([saturday, sunday, newYear].map((atMs) => week(atMs))).toEqual([
      "20260201-20260207",
      "20260208-20260214",
      "20261227-20270102",
    ])
    expect([sunday, newYear].map((atMs) => week(atMs, "iso"))).toEqual(["20260202-20260208", "20261228-20270103"])
  })
})

test.each([
  { grain: "year", printed: "2025年", en: "Year 2025" },
  { grain: "month", printed: "2026年1月", en: "2026-01" },
  { grain: "week", printed: "20260208-20260214", en: "20260208-20260214" },
  { grain: "moment", printed: "20260216 3:16", en: "20260216 3:16" },
])("R20: a $grain is printed in the prompt's language, and both forms are read", ({ printed, en }) => {
  expect(stampIn("zh-CN", printed)).toBe(printed)
  expect(stampIn("en", printed)).toBe(en)
  expect(parseStamp(en)).toEqual(parseStamp(printed))
  expect(parseEventLine(`${en} text`)?.text).toBe("text")
})
