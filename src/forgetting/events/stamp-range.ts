import { daysRange, type Grain, grainDays } from "./grain.ts"
import type { Stamp } from "./stamp.ts"
import type { ZonedCalendar } from "./zoned-calendar.ts"

const minuteMs = 60_000

/** The stretch of time that a stamp names in a zone, in milliseconds since 1970; of a moment its minute. */
export function stampRange(stamp: Stamp, calendar: ZonedCalendar): { readonly startMs: number; readonly endMs: number } {
  switch (stamp.grain) {
    case "year":
      return daysRange(grainDays("year", { ...stamp, month: 1, day: 1 }), calendar)
    case "month":
      return daysRange(grainDays("month", { ...stamp, day: 1 }), calendar)
    case "week":
      return daysRange(stamp, calendar)
    case "day":
      return daysRange({ first: stamp, last: stamp }, calendar)
    case "moment": {
      const startMs = calendar.instant(stamp)
      return { startMs, endMs: startMs + minuteMs }
    }
  }
}

/** The stamp of the year, month, ISO week, day or minute in which a moment lies. */
export function stampAt(grain: Grain, atMs: number, calendar: ZonedCalendar): Stamp {
  const local = calendar.local(atMs)
  const { year, month, day } = local
  if (grain === "moment") return { grain, ...local }
  if (grain === "year") return { grain, year }
  if (grain === "month") return { grain, year, month }
  const date = { year, month, day }
  return grain === "day" ? { grain, ...date } : { grain, ...grainDays("week", date) }
}
