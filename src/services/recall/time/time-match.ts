import { calendarDate } from "./local-calendar.ts"
import type { TimeReference } from "./time-reference.ts"

/** Days at both ends of something a document tells of. */
export interface ToldDays {
  readonly fromDay: number
  readonly toDay: number
}

/** Below this a match is none. */
const faintest = 0.05
/** What is said on a Sunday is seldom about Sundays. */
const weekdayMatch = 0.5
/** People tell of a thing after it happened, so a match fades more slowly on that side. */
const afterSoftness = 2

/** How well a day fits one of the references, from 1 down to 0; fades outside a span by about a quarter of its length. */
export function dayMatch(references: readonly TimeReference[], day: number): number {
  let best = 0
  for (const reference of references) {
    if (reference.kind === "span") best = Math.max(best, spanMatch(reference.fromDay, reference.toDay, day, day))
    else if (best < 1) best = Math.max(best, recurringMatch(reference, day))
  }
  return best
}

/** How well the days that a document tells of fit one of the references. */
export function toldMatch(references: readonly TimeReference[], { fromDay, toDay }: ToldDays): number {
  const matches = references.map((reference) => {
    if (reference.kind === "span") return spanMatch(reference.fromDay, reference.toDay, fromDay, toDay)
    return fromDay === toDay ? recurringMatch(reference, fromDay) : 0
  })
  return Math.max(0, ...matches)
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
