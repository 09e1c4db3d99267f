import { checkType } from "../../../core/check-options.ts"
import { dayNumber } from "../../services/recall/time/local-calendar.ts"
import { addDays, type CalendarDay, type LocalMinute, weekday, type ZonedCalendar } from "./zoned-calendar.ts"

/** The length of the period that an event's record covers (R20). A `moment` is a topic of the conversation. */
export type Grain = "year" | "month" | "week" | "day" | "moment"

/** All grains, the coarsest first. */
export const grains = ["year", "month", "week", "day", "moment"] as const satisfies readonly Grain[]

/** The kinds of weeks: from Sunday to Saturday, or from Monday to Sunday as ISO 8601 has them (R20). */
export const weekKinds = ["sunday", "iso"] as const
export type WeekKind = (typeof weekKinds)[number]

/** The time that stands before an event (R20), without a time zone. */
export type Stamp =
  | { readonly grain: "year"; readonly year: number }
  | { readonly grain: "month"; readonly year: number; readonly month: number }
  | { readonly grain: "week"; readonly first: CalendarDay; readonly last: CalendarDay }
  | ({ readonly grain: "day" } & CalendarDay)
  | ({ readonly grain: "moment" } & LocalMinute)

/** Prints a stamp: `2025年`, `2026年1月`, `20260208-20260214`, `20260208` or `20260216 3:16` (R20). */
export function formatStamp(stamp: Stamp): string {
  switch (stamp.grain) {
    case "year":
      return `${digits(stamp.year, 4)}年`
    case "month":
      return `${digits(stamp.year, 4)}年${stamp.month}月`
    case "week":
      return `${compact(stamp.first)}-${compact(stamp.last)}`
    case "day":
      return compact(stamp)
    case "moment":
      return `${compact(stamp)} ${stamp.hour}:${digits(stamp.minute, 2)}`
  }
}

function compact({ year, month, day }: CalendarDay): string {
  return `${digits(year, 4)}${digits(month, 2)}${digits(day, 2)}`
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, "0")
}

/** A printed stamp in a language: outside of Chinese `Year 2025` and `2026-01` stand for `2025年` and `2026年1月`. */
export function stampIn(locale: string, printed: string): string {
  const stamp = /^zh\b/i.test(locale) ? undefined : parseStamp(printed)
  if (stamp?.grain !== "year" && stamp?.grain !== "month") return printed
  return stamp.grain === "year" ? `Year ${digits(stamp.year, 4)}` : `${digits(stamp.year, 4)}-${digits(stamp.month, 2)}`
}

/** Reads a stamp in any language, also one written `2020.10.12 19:52`. Returns `undefined` for other text, days that do not exist, and a week that has not seven days. */
export function parseStamp(text: string): Stamp | undefined {
  const found = readStamp(text)
  return found?.rest === "" ? found.stamp : undefined
}

/** Prints an event as `STAMP TEXT`. */
export function formatEventLine(stamp: Stamp, text: string): string {
  checkType("the grain of the stamp of formatEventLine", stamp?.grain, "string")
  checkType("the text of formatEventLine", text, "string")
  return `${formatStamp(stamp)} ${text}`
}

/** The inverse of {@link formatEventLine}; `undefined` for a line that does not begin with a stamp and a space. */
export function parseEventLine(line: string): { readonly stamp: Stamp; readonly text: string } | undefined {
  checkType("the line of parseEventLine", line, "string")
  const found = readStamp(line)
  return found?.rest.startsWith(" ") ? { stamp: found.stamp, text: found.rest.slice(1) } : undefined
}

/** Longer forms come first, because one form can begin with another. No pattern backtracks. */
const forms: readonly { readonly grain: Grain; readonly pattern: RegExp }[] = [
  { grain: "month", pattern: /^(\d{4})年(\d{1,2})月/ },
  { grain: "month", pattern: /^(\d{4})-(\d{2})(?!\d)/ },
  { grain: "year", pattern: /^(\d{4})年/ },
  { grain: "year", pattern: /^Year (\d{4})/ },
  { grain: "week", pattern: /^(\d{4})(\d{2})(\d{2})-(\d{4})(\d{2})(\d{2})/ },
  { grain: "moment", pattern: /^(\d{4})(\d{2})(\d{2}) (\d{1,2}):(\d{2})/ },
  { grain: "moment", pattern: /^(\d{4})\.(\d{1,2})\.(\d{1,2}) (\d{1,2}):(\d{2})/ },
  { grain: "day", pattern: /^(\d{4})(\d{2})(\d{2})/ },
]

function readStamp(text: string): { readonly stamp: Stamp; readonly rest: string } | undefined {
  for (const { grain, pattern } of forms) {
    const match = pattern.exec(text)
    if (match === null) continue
    const rest = text.slice(match[0].length)
    if (rest !== "" && !rest.startsWith(" ")) continue
    const stamp = stampOf(grain, match.slice(1).map(Number))
    if (stamp !== undefined) return { stamp, rest }
  }
  return undefined
}

function stampOf(grain: Grain, numbers: readonly number[]): Stamp | undefined {
  const [year = 0, month = 1, day = 1, ...more] = numbers
  const [hour = 0, minute = 0] = more
  // Years before 100 are refused, because `Date` reads them as others.
  if (year < 100 || dayNumber(year, month, day) === undefined) return undefined
  if (grain === "year") return { grain, year }
  if (grain === "month") return { grain, year, month }
  if (grain === "day") return { grain, year, month, day }
  if (grain === "moment") return hour < 24 && minute < 60 ? { grain, year, month, day, hour, minute } : undefined
  const [lastYear = 0, lastMonth = 0, lastDay = 0] = more
  const first = { year, month, day }
  const last = { year: lastYear, month: lastMonth, day: lastDay }
  return compact(addDays(first, 6)) === compact(last) ? { grain, first, last } : undefined
}

/** The stamp of the year, month, week, day or minute of a moment. */
export function stampAt(grain: Grain, atMs: number, calendar: ZonedCalendar, weeks: WeekKind = "sunday"): Stamp {
  const local = calendar.local(atMs)
  const { year, month, day } = local
  if (grain === "moment") return { grain, ...local }
  if (grain === "year") return { grain, year }
  if (grain === "month") return { grain, year, month }
  const date = { year, month, day }
  return grain === "day" ? { grain, ...date } : { grain, ...grainDays("week", date, weeks) }
}

const minuteMs = 60_000

/** A period of time in milliseconds since 1970, without its end. */
type TimeRange = { readonly startMs: number; readonly endMs: number }

/** The period that a stamp names in a time zone. A moment is its minute. */
export function stampRange(stamp: Stamp, calendar: ZonedCalendar): TimeRange {
  if (stamp.grain === "week") return daysRange(stamp, calendar)
  if (stamp.grain !== "moment") return daysRange(grainDays(stamp.grain, { month: 1, day: 1, ...stamp }), calendar)
  const startMs = calendar.instant(stamp)
  return { startMs, endMs: startMs + minuteMs }
}

/** The first and the last day of a period. */
type DayRange = { readonly first: CalendarDay; readonly last: CalendarDay }

/** The year, month, week or day in which a day lies. */
export function grainDays(grain: Exclude<Grain, "moment">, day: CalendarDay, weeks: WeekKind = "sunday"): DayRange {
  const { year, month } = day
  switch (grain) {
    case "year":
      return { first: { year, month: 1, day: 1 }, last: { year, month: 12, day: 31 } }
    case "month":
      return { first: { year, month, day: 1 }, last: addDays({ year, month: month + 1, day: 1 }, -1) }
    case "week": {
      const first = addDays(day, -((weekday(day) + (weeks === "iso" ? 6 : 0)) % 7))
      return { first, last: addDays(first, 6) }
    }
    case "day":
      return { first: day, last: day }
  }
}

/** The time from the first moment of the first day to the first moment after the last day. */
export function daysRange({ first, last }: DayRange, calendar: ZonedCalendar): TimeRange {
  const midnight = { hour: 0, minute: 0 }
  const startMs = calendar.instant({ ...first, ...midnight })
  return { startMs, endMs: calendar.instant({ ...addDays(last, 1), ...midnight }) }
}
