import { addDays, type CalendarDay, isoWeekday, type ZonedCalendar } from "./zoned-calendar.ts"

/** How much time an event's record covers (R20); `moment` is a topic of the conversation. */
export type Grain = "year" | "month" | "week" | "day" | "moment"

/** The coarsest first: the order in which records of one moment stand. */
export const grains = ["year", "month", "week", "day", "moment"] as const satisfies readonly Grain[]

/** The first and the last day of the year, month, ISO week (from Monday) or day in which a day lies. */
export function grainDays(
  grain: Exclude<Grain, "moment">,
  day: CalendarDay,
): { readonly first: CalendarDay; readonly last: CalendarDay } {
  const { year, month } = day
  switch (grain) {
    case "year":
      return { first: { year, month: 1, day: 1 }, last: { year, month: 12, day: 31 } }
    case "month":
      return { first: { year, month, day: 1 }, last: addDays({ year, month: month + 1, day: 1 }, -1) }
    case "week": {
      const first = addDays(day, -isoWeekday(day))
      return { first, last: addDays(first, 6) }
    }
    case "day":
      return { first: day, last: day }
  }
}

/** From the first moment of a day to the first moment after another one, in milliseconds since 1970. */
export function daysRange(
  { first, last }: { readonly first: CalendarDay; readonly last: CalendarDay },
  calendar: ZonedCalendar,
): { readonly startMs: number; readonly endMs: number } {
  const midnight = { hour: 0, minute: 0 }
  return {
    startMs: calendar.instant({ ...first, ...midnight }),
    endMs: calendar.instant({ ...addDays(last, 1), ...midnight }),
  }
}
