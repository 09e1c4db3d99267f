import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { calendarDate, dayNumber, localCalendar } from "../../../../../src/memory/services/recall/time/local-calendar.ts"

describe("a local calendar", () => {
  test("has the day of the zone, not of UTC", () => {
    const evening = Date.UTC(2024, 4, 15, 20)
    expect(localCalendar("UTC").dayOf(evening)).toBe(dayNumber(2024, 5, 15))
    expect(localCalendar("Asia/Shanghai").dayOf(evening)).toBe(dayNumber(2024, 5, 16))
    expect(localCalendar("America/Los_Angeles").dayOf(Date.UTC(2024, 4, 15, 5))).toBe(dayNumber(2024, 5, 14))
  })

  test("keeps its days where clocks change, in half hours and before 1970", () => {
    for (const zone of ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Europe/London"]) {
      const calendar = localCalendar(zone)
      fc.assert(
        fc.property(fc.integer({ min: -5_000, max: 25_000 }), fc.integer({ min: 1, max: 22 }), (day, hour) => {
          const noonish = new Date(day * 86_400_000 + hour * 3_600_000)
          const shown = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(noonish)
          const { year, month, date } = calendarDate(calendar.dayOf(noonish.getTime()))
          expect(`${year}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`).toBe(shown)
        }),
        { numRuns: 40 },
      )
    }
  })

  test("of an unknown zone throws and says what it wants", () => {
    expect(() => localCalendar("Mars/Base")).toThrow(/name of a time zone.*found "Mars\/Base"/)
  })
})
