import { PromptStrataError } from "../../core/errors.ts"

/** A day of the calendar; months count from 1. */
export interface CalendarDay {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** A moment as the clocks of a time zone show it. */
export interface LocalMinute extends CalendarDay {
  readonly hour: number
  readonly minute: number
}

/** The calendar and the clocks of one time zone, changes of clocks included. */
export interface ZonedCalendar {
  readonly timeZone: string
  local(atMs: number): LocalMinute
  /** The first moment at which the clocks show this; where they pass over it, the first one after. */
  instant(local: LocalMinute): number
}

const dayMs = 86_400_000
/** No zone has changed its clocks between two of these. */
const quarterMs = 900_000
const maxKeptOffsets = 20_000
const kept = new Map<string, ZonedCalendar>()

/** The calendar of an IANA time zone, made once; an unknown name throws `usage`. */
export function zonedCalendar(timeZone: string): ZonedCalendar {
  const known = kept.get(timeZone)
  if (known !== undefined) return known
  const offsetAt = offsets(timeZone)
  const calendar: ZonedCalendar = {
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
  kept.set(timeZone, calendar)
  return calendar
}

/** The time zone that the process runs in. */
export function hostTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** So many days later, or earlier where negative. */
export function addDays(from: CalendarDay, days: number): CalendarDay {
  const { year, month, day } = fieldsOf(Date.UTC(from.year, from.month - 1, from.day + days))
  return { year, month, day }
}

/** Days since the Monday before, from 0. */
export function isoWeekday({ year, month, day }: CalendarDay): number {
  return (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7
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

function offsets(timeZone: string): (atMs: number) => number {
  if (timeZone === "UTC") return () => 0
  const format = zoneFormat(timeZone)
  const known = new Map<number, number>()
  return (atMs) => {
    const quarter = Math.floor(atMs / quarterMs)
    const before = known.get(quarter)
    if (before !== undefined) return before
    const offset = readOffset(format, quarter * quarterMs)
    if (known.size >= maxKeptOffsets) known.clear()
    known.set(quarter, offset)
    return offset
  }
}

function zoneFormat(timeZone: string): Intl.DateTimeFormat {
  const fields = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  } as const
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...fields })
  } catch (cause) {
    throw new PromptStrataError("usage", `expected the name of a time zone, found ${JSON.stringify(timeZone)}.`, {
      cause,
      hint: 'Give an IANA name such as "Asia/Shanghai".',
      evidence: { timeZone },
    })
  }
}

function readOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second")) - atMs
}
