import { calendarDate, dayMs, zoneOffsets } from "../../services/recall/time/local-calendar.ts"
import { localFields, momentOf } from "../../services/recall/time/local-time.ts"

/** A day of the calendar; months count from 1. */
export interface CalendarDay {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** A moment as the clock of a time zone shows it. */
export interface LocalMinute extends CalendarDay {
  readonly hour: number
  readonly minute: number
}

/** The calendar and clock of one time zone, with its clock changes. */
export interface ZonedCalendar {
  readonly timeZone: string
  local(atMs: number): LocalMinute
  /** The first moment at which the clock shows this time. If a clock change skips the time, the first moment after it. */
  instant(local: LocalMinute): number
}

/** The calendar of an IANA time zone. Throws `usage` for an unknown name. */
export function zonedCalendar(timeZone: string): ZonedCalendar {
  zoneOffsets(timeZone)
  return {
    timeZone,
    local(atMs) {
      const [year, month, day, hour, minute] = localFields(atMs, timeZone)
      return { year, month, day, hour, minute }
    },
    instant: ({ year, month, day, hour, minute }) => momentOf([year, month, day, hour, minute, 0], timeZone).atMs,
  }
}

export function hostTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The day so many days later; earlier when `days` is negative. */
export function addDays(from: CalendarDay, days: number): CalendarDay {
  const { year, month, date: day } = calendarDate(Date.UTC(from.year, from.month - 1, from.day + days) / dayMs)
  return { year, month, day }
}

/** The day of the week, from 0 for Sunday. */
export function weekday({ year, month, day }: CalendarDay): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay()
}
