import { type CalendarDate, calendarDate } from "./local-calendar.ts"
import type { TimeReference } from "./time-reference.ts"

/** The day an expression counts from. */
export interface Today extends CalendarDate {
  readonly day: number
}

export const todayOf = (day: number): Today => ({ day, ...calendarDate(day) })

/** A way to say when. */
export interface TimeRule {
  /** Global, over a normalised text; never slower than the text is long. */
  readonly pattern: RegExp
  /** What a match means; undefined where it is no time after all. */
  read(groups: Readonly<Record<string, string | undefined>>, today: Today): TimeReference | readonly TimeReference[] | undefined
}
