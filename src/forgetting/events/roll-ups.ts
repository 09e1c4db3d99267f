import type { EventRecord } from "./event-record.ts"
import { daysRange, formatStamp, type Grain, grainDays, stampAt } from "./stamp.ts"
import type { ZonedCalendar } from "./zoned-calendar.ts"

/** A stretch of time that is over and has no record yet, with the records it is to summarise, oldest first (R20). */
export interface RollUp {
  readonly id: string
  readonly grain: Exclude<Grain, "moment">
  readonly stamp: string
  readonly startMs: number
  readonly endMs: number
  readonly children: readonly EventRecord[]
}

/** What each grain is drawn from. Weeks and months overlap, so both are drawn from days. */
const drawnFrom = { day: "moment", week: "day", month: "day", year: "month" } as const

/** Which stretches of time are looked at: those that end after `sinceMs` and not after `untilMs`. */
export interface RollUpWindow {
  /** The midnight up to which everything was rolled up before. */
  readonly sinceMs: number
  readonly untilMs: number
}

/**
 * The roll-ups that are due: days whose topics are all over, weeks and months whose days are all there, years whose months are.
 * Parts of a topic are left to their topic.
 */
export function dueRollUps(
  events: readonly EventRecord[],
  { sinceMs, untilMs }: RollUpWindow,
  calendar: ZonedCalendar,
): readonly RollUp[] {
  const known = new Set(events.map(({ id }) => id))
  const parts = new Set(events.flatMap(({ grain, children }) => (grain === "moment" ? children : [])))
  const due: RollUp[] = []
  for (const grain of ["day", "week", "month", "year"] as const) {
    const children = events.filter(
      (event) => event.grain === drawnFrom[grain] && !parts.has(event.id) && (grain !== "day" || event.startMs >= sinceMs),
    )
    for (const period of periodsOf(grain, children, calendar)) {
      const waits = due.some((other) => other.startMs < period.endMs && other.endMs > period.startMs && feeds(other, grain))
      if (period.endMs > sinceMs && period.endMs <= untilMs && !known.has(period.id) && !waits) due.push(period)
    }
  }
  return due
}

function feeds(other: RollUp, grain: RollUp["grain"]): boolean {
  return other.grain === "day" ? grain !== "day" : other.grain === "month" && grain === "year"
}

function periodsOf(grain: RollUp["grain"], children: readonly EventRecord[], calendar: ZonedCalendar): readonly RollUp[] {
  const byStamp = new Map<string, EventRecord[]>()
  for (const child of children) {
    const stamp = formatStamp(stampAt(grain, child.startMs, calendar))
    const same = byStamp.get(stamp)
    if (same) same.push(child)
    else byStamp.set(stamp, [child])
  }
  return [...byStamp].flatMap(([stamp, drawn]) => {
    const first = drawn[0]
    if (first === undefined) return []
    const range = daysRange(grainDays(grain, calendar.local(first.startMs)), calendar)
    return [{ id: rollUpId(grain, stamp), grain, stamp, ...range, children: drawn }]
  })
}

/** The id of a stretch's record: one for each, however often it is summarised. */
function rollUpId(grain: RollUp["grain"], stamp: string): string {
  return `${grain}:${stamp}`
}
