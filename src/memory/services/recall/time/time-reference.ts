import { type CalendarDate, calendarDate, dayMs, dayNumber } from "./local-calendar.ts"

/** The days that an expression of time means. Days are numbered from 1970-01-01; both ends belong to it. */
export type TimeReference =
  | { readonly kind: "span"; readonly fromDay: number; readonly toDay: number; readonly isVague?: true }
  /** Days that recur: some weekdays (0 is Sunday), or the days between two dates of any year, as `month * 100 + date`. */
  | { readonly kind: "weekdays"; readonly weekdays: readonly number[] }
  | { readonly kind: "yearly"; readonly from: number; readonly to: number }

export const span = (fromDay: number, toDay: number = fromDay) => ({ kind: "span", fromDay, toDay }) as const

/** The last days, as "lately" means them: they choose among what is found, and find nothing by themselves. */
export const lately = (today: number, days: number): TimeReference => ({ ...span(today - days, today), isVague: true })

export const onWeekdays = (...weekdays: readonly number[]): TimeReference => ({ kind: "weekdays", weekdays })

/** The days of a month. Months outside 1 to 12 fall into other years. */
export function monthSpan(year: number, month: number): TimeReference {
  return span(Date.UTC(year, month - 1, 1) / dayMs, Date.UTC(year, month, 1) / dayMs - 1)
}

export function yearSpan(year: number): TimeReference {
  return span(Date.UTC(year, 0, 1) / dayMs, Date.UTC(year, 11, 31) / dayMs)
}

/** The week, from Monday to Sunday, that is `weeks` weeks after the week of `today`. */
export function weekSpan(today: number, weeks: number): TimeReference {
  const monday = mondayOf(today) + 7 * weeks
  return span(monday, monday + 6)
}

export function mondayOf(day: number): number {
  return day - ((calendarDate(day).weekday + 6) % 7)
}

/** Saturday and Sunday of the week that is `weeks` weeks after the week of `today`. */
export function weekendSpan(today: number, weeks: number): TimeReference {
  const saturday = mondayOf(today) + 5 + 7 * weeks
  return span(saturday, saturday + 1)
}

/** The day of a date; undefined if there is no such date. */
export function dateSpan(year: number, month: number, date: number): TimeReference | undefined {
  const day = dayNumber(year, month, date)
  return day === undefined ? undefined : span(day)
}

/** The days from one date to another, as `month * 100 + date`; they may cross New Year. Without a year, those of any year. */
export function partOfYear(from: number, to: number, year?: number): TimeReference | undefined {
  if (year === undefined) return { kind: "yearly", from, to }
  const first = dayNumber(year, Math.floor(from / 100), from % 100)
  const lastYear = to < from ? year + 1 : year
  const last = dayNumber(lastYear, Math.floor(to / 100), to % 100)
  return first === undefined || last === undefined ? undefined : span(first, last)
}

/** The days around `count` units before today. The span is as wide as people mean it: days are exact, "two weeks" are about two. */
export function unitsAgo(today: number, count: number, unit: TimeUnit): TimeReference | undefined {
  if (!Number.isFinite(count) || Math.abs(count) > 10_000) return undefined
  const day = Math.round(today - count * unitDays[unit])
  const slackDays = unit === "day" && Math.abs(count) >= 5 ? 1 : unitSlackDays[unit]
  return span(day - slackDays, day + slackDays)
}

export type TimeUnit = "day" | "week" | "month" | "year"
export const unitDays: Readonly<Record<TimeUnit, number>> = { day: 1, week: 7, month: 30.44, year: 365.25 }
const unitSlackDays: Readonly<Record<TimeUnit, number>> = { day: 0, week: 3, month: 15, year: 91 }

/** The day from which an expression counts. */
export interface Today extends CalendarDate {
  readonly day: number
}

export const todayOf = (day: number): Today => ({ day, ...calendarDate(day) })

/** One form of expressions of time. */
export interface TimeRule {
  /** A global pattern for normalised text. Its time must be linear in the length of the text. */
  readonly pattern: RegExp
  /** The meaning of a match; undefined if it is no expression of time after all. */
  read(groups: Readonly<Record<string, string | undefined>>, today: Today): TimeReference | readonly TimeReference[] | undefined
}

/** A rule for a pattern, which becomes global. */
export function timeRule(pattern: string | RegExp, read: TimeRule["read"]): TimeRule {
  return { pattern: new RegExp(pattern, "g"), read }
}
