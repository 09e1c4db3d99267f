import { PromptStrataError } from "../../../core/errors.ts"

/** Milliseconds in a day without a change of clocks. */
export const dayMs = 86_400_000

/** The days of one time zone, numbered from 1970-01-01. */
export interface LocalCalendar {
  /** The day of a moment in this time zone. */
  dayOf(atMs: number): number
}

const utc: LocalCalendar = { dayOf: (atMs) => Math.floor(atMs / dayMs) }
const maxKeptOffsets = 10_000

/** The calendar of an IANA time zone. Throws `usage` for an unknown name. */
export function localCalendar(timeZone: string): LocalCalendar {
  if (timeZone === "UTC") return utc
  const format = zoneFormat(timeZone)
  const offsets = new Map<number, number>()
  // Offsets are kept by the hour, because no zone changes its clocks within one.
  function offsetMs(atMs: number): number {
    const hour = Math.floor(atMs / 3_600_000)
    const kept = offsets.get(hour)
    if (kept !== undefined) return kept
    const offset = readOffset(format, hour * 3_600_000)
    if (offsets.size >= maxKeptOffsets) offsets.clear()
    offsets.set(hour, offset)
    return offset
  }
  return { dayOf: (atMs) => Math.floor((atMs + offsetMs(atMs)) / dayMs) }
}

const fields = {
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const

function zoneFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...fields })
  } catch (cause) {
    const message = `expected the name of a time zone such as "Asia/Shanghai" for recall, found ${JSON.stringify(timeZone)}`
    throw new PromptStrataError("usage", message, { cause, hint: "Give an IANA name, or leave it out for UTC." })
  }
}

function readOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second")) - atMs
}

/** The number of a date's day; undefined if there is no such date. Months count from 1. */
export function dayNumber(year: number, month: number, date: number): number | undefined {
  const at = new Date(Date.UTC(year, month - 1, date))
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date ? at.getTime() / dayMs : undefined
}

/** A day in the calendar. Months count from 1, weekdays from 0 for Sunday. */
export interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly date: number
  readonly weekday: number
}

export function calendarDate(day: number): CalendarDate {
  const at = new Date(day * dayMs)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate(), weekday: at.getUTCDay() }
}
