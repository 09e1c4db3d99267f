import type { EventRecord } from "./event-record.ts"
import { daysRange, formatStamp, type Grain, grainDays, stampAt, type WeekKind } from "./stamp.ts"
import type { ZonedCalendar } from "./zoned-calendar.ts"

/** A period of time that is over and has no record yet, with the records that it is to summarise, oldest first (R20). */
export interface RollUp extends Pick<EventRecord, "id" | "stamp" | "startMs" | "endMs"> {
  readonly grain: Exclude<Grain, "moment">
  readonly children: readonly EventRecord[]
}

/** The grain that each grain summarises. Weeks and months overlap, so both summarise days. */
const drawnFrom = { day: "moment", week: "day", month: "day", year: "month" } as const

/** The periods to look at: those that end after `sinceMs` and not after `untilMs`. */
export interface RollUpWindow {
  /** The midnight up to which everything has been rolled up. */
  readonly sinceMs: number
  readonly untilMs: number
  /** Default: from Sunday to Saturday. */
  readonly weeks?: WeekKind
}

/**
 * The roll-ups that are due: days whose topics have all ended, weeks and months whose days are all there, years whose months are. The
 * parts of a topic belong to their topic and are left out.
 */
export function dueRollUps(
  events: readonly EventRecord[],
  { sinceMs, untilMs, weeks = "sunday" }: RollUpWindow,
  calendar: ZonedCalendar,
): readonly RollUp[] {
  const known = new Set(events.map(({ id }) => id))
  const parts = new Set(events.flatMap(({ grain, children }) => (grain === "moment" ? children : [])))
  const due: RollUp[] = []
  for (const grain of ["day", "week", "month", "year"] as const) {
    const children = events.filter(
      (event) => event.grain === drawnFrom[grain] && !parts.has(event.id) && (grain !== "day" || event.startMs >= sinceMs),
    )
    for (const period of periodsOf(grain, children, { calendar, weeks })) {
      const waits = due.some((other) => other.startMs < period.endMs && other.endMs > period.startMs && feeds(other, grain))
      if (period.endMs > sinceMs && period.endMs <= untilMs && !known.has(period.id) && !waits) due.push(period)
    }
  }
  return due
}

function feeds(other: RollUp, grain: RollUp["grain"]): boolean {
  return other.grain === "day" ? grain !== "day" : other.grain === "month" && grain === "year"
}

function periodsOf(
  grain: RollUp["grain"],
  children: readonly EventRecord[],
  { calendar, weeks }: { readonly calendar: ZonedCalendar; readonly weeks: WeekKind },
): readonly RollUp[] {
  const byStamp = Map.groupBy(children, ({ startMs }) => formatStamp(stampAt(grain, startMs, calendar, weeks)))
  return [...byStamp].flatMap(([stamp, drawn]) => {
    const first = drawn[0]
    if (first === undefined) return []
    const range = daysRange(grainDays(grain, calendar.local(first.startMs), weeks), calendar)
    // The id depends on the period only, so that a period that is summarised twice has one record.
    return [{ id: `${grain}:${stamp}`, grain, stamp, ...range, children: drawn }]
  })
}
