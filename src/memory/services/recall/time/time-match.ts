import { calendarDate } from "./local-calendar.ts"
import type { TimeReference } from "./time-reference.ts"

/** The first and last day of what a document tells about. */
export interface ToldDays {
  readonly fromDay: number
  readonly toDay: number
}

/** A weaker match counts as none. */
const faintest = 0.05
/** A line said on a Sunday is seldom about Sundays, so this match is weaker. */
const weekdayMatch = 0.5
/** People tell about things after they happened, so a match fades more slowly on that side. */
const afterSoftness = 2

/** The match of a day with the best of the references, from 0 to 1. Outside a span it halves with each quarter of the span's length. */
export function dayMatch(references: readonly TimeReference[], day: number): number {
  let best = 0
  for (const reference of references) {
    if (reference.kind === "span") best = Math.max(best, spanMatch(reference.fromDay, reference.toDay, day, day))
    else if (best < 1) best = Math.max(best, recurringMatch(reference, day))
  }
  return best
}

/** The match of the days that a document tells about with the best of the references, from 0 to 1. */
export function toldMatch(references: readonly TimeReference[], { fromDay, toDay }: ToldDays): number {
  if (fromDay === toDay) return dayMatch(references, fromDay)
  let best = 0
  for (const reference of references)
    if (reference.kind === "span") best = Math.max(best, spanMatch(reference.fromDay, reference.toDay, fromDay, toDay))
  return best
}

function spanMatch(fromDay: number, toDay: number, first: number, last: number): number {
  if (last >= fromDay && first <= toDay) return 1
  const softDays = Math.min(30, Math.max(1, (toDay - fromDay + 1) / 4))
  const distance = first > toDay ? (first - toDay) / afterSoftness : fromDay - last
  const match = 0.5 ** (distance / softDays)
  return match < faintest ? 0 : match
}

function recurringMatch(reference: Exclude<TimeReference, { kind: "span" }>, day: number): number {
  const { month, date, weekday } = calendarDate(day)
  if (reference.kind === "weekdays") return reference.weekdays.includes(weekday) ? weekdayMatch : 0
  const at = month * 100 + date
  const { from, to } = reference
  return (from <= to ? at >= from && at <= to : at >= from || at <= to) ? 1 : 0
}
