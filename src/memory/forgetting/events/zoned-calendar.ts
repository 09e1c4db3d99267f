import { dayMs, zoneOffsets } from "../../services/recall/time/local-calendar.ts"

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
  const offsetAt = zoneOffsets(timeZone)
  return {
    timeZone,
    local: (atMs) => fieldsOf(atMs + offsetAt(atMs)),
    instant(local) {
      const wall = Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute)
      const before = offsetAt(wall - dayMs)
      const after = offsetAt(wall + dayMs)
      const fitting = [wall - before, wall - after].filter((atMs) => atMs + offsetAt(atMs) === wall)
      return fitting.length > 0 ? Math.min(...fitting) : wall - before
    },
  }
}

export function hostTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The day so many days later; earlier when `days` is negative. */
export function addDays(from: CalendarDay, days: number): CalendarDay {
  const { year, month, day } = fieldsOf(Date.UTC(from.year, from.month - 1, from.day + days))
  return { year, month, day }
}

/** The day of the week, from 0 for Sunday. */
export function weekday({ year, month, day }: CalendarDay): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay()
}

function fieldsOf(utcMs: number): LocalMinute {
  const date = new Date(utcMs)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  }
}
