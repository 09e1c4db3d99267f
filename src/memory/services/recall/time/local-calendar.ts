import { PromptStrataError } from "../../../../core/errors.ts"

/** Milliseconds in a day without a change of clocks. */
export const dayMs = 86_400_000

/** The days of one time zone, numbered from 1970-01-01. */
export interface LocalCalendar {
  /** The day of a moment in this time zone. */
  dayOf(atMs: number): number
}

/** The calendar of an IANA time zone. Throws `usage` for an unknown name. */
export function localCalendar(timeZone: string): LocalCalendar {
  const offsetAt = zoneOffsets(timeZone)
  return { dayOf: (atMs) => Math.floor((atMs + offsetAt(atMs)) / dayMs) }
}

/** Clock changes of all zones lie on multiples of this. */
export const quarterMs = 900_000
const maxKeptOffsets = 20_000
const maxKeptZones = 16

/** Kept for all callers: to make a format takes longer than to use it, and the clock changes of a zone are the same for everybody. */
const zones = new Map<string, (atMs: number) => number>()

/** Gives the milliseconds by which the clock of a time zone is ahead of UTC at a moment. Throws `usage` for an unknown zone. */
export function zoneOffsets(timeZone: string): (atMs: number) => number {
  if (timeZone === "UTC") return () => 0
  const known = zones.get(timeZone)
  if (known !== undefined) return known
  const offsetAt = readOffsets(zoneFormat(timeZone))
  if (zones.size >= maxKeptZones) zones.clear()
  zones.set(timeZone, offsetAt)
  return offsetAt
}

function readOffsets(format: Intl.DateTimeFormat): (atMs: number) => number {
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
  const numeric = "numeric"
  const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric } as const
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
