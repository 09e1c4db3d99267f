import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { zonedCalendar } from "../../../../src/memory/forgetting/events/zoned-calendar.ts"

const at = (year: number, month: number, day: number, hour = 0, minute = 0) => ({ year, month, day, hour, minute })

describe("the calendar of a time zone", () => {
  test("shows a moment by its own clocks", () => {
    expect(zonedCalendar("Asia/Shanghai").local(Date.UTC(2026, 1, 15, 19, 16))).toEqual(at(2026, 2, 16, 3, 16))
    expect(zonedCalendar("America/New_York").local(Date.UTC(2026, 2, 8, 7, 0))).toEqual(at(2026, 3, 8, 3, 0))
  })

  test("a time that comes twice is the first one, one that never comes is the moment after", () => {
    const newYork = zonedCalendar("America/New_York")
    expect(newYork.instant(at(2026, 11, 1, 1, 30))).toBe(Date.UTC(2026, 10, 1, 5, 30))
    expect(newYork.instant(at(2026, 3, 8, 2, 30))).toBe(Date.UTC(2026, 2, 8, 7, 30))
  })

  test("the rest of a day on which clocks change has the new time", () => {
    const newYork = zonedCalendar("America/New_York")
    expect(newYork.instant(at(2026, 3, 8, 12))).toBe(Date.UTC(2026, 2, 8, 16))
    expect(newYork.instant(at(2026, 11, 1, 12))).toBe(Date.UTC(2026, 10, 1, 17))
  })

  test("a day that has no midnight begins when its clocks begin", () => {
    const cairo = zonedCalendar("Africa/Cairo")
    const start = cairo.instant(at(2026, 4, 24))
    expect(cairo.local(start)).toEqual(at(2026, 4, 24, 1, 0))
    expect(cairo.local(start - 1)).toEqual(at(2026, 4, 23, 23, 59))
  })

  test("a moment goes to its minute and back, but where clocks are put back", () => {
    const zones = fc.constantFrom("UTC", "Asia/Shanghai", "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns")
    const minutes = fc.integer({ min: Date.UTC(1990, 0, 1) / 60_000, max: Date.UTC(2090, 0, 1) / 60_000 })
    fc.assert(
      fc.property(zones, minutes, (zone, minute) => {
        const calendar = zonedCalendar(zone)
        const local = calendar.local(minute * 60_000)
        const back = calendar.instant(local)
        expect(calendar.local(back)).toEqual(local)
        expect(minute * 60_000 - back).toSatisfy((apart: number) => apart === 0 || apart === 3_600_000 || apart === 1_800_000)
      }),
    )
  })

  test("an unknown zone is refused by name", () => {
    expect(() => zonedCalendar("Middle/Earth")).toThrow(/"Middle\/Earth"/)
  })
})
