import { retrievability } from "../../core/retrievability.ts"
import { daysBetween, type ForgettingClock, type Moment } from "../decay.ts"
import { topOf } from "../ranking.ts"
import type { EventRecord } from "./event-record.ts"
import { type Grain, grains } from "./stamp.ts"

/** Which events a prompt shows. */
export interface EventSelection {
  /** The newest so many of each grain. Default 5 years, 6 months, 4 weeks, 7 days, 20 moments. */
  readonly keep?: Partial<Readonly<Record<Grain, number>>>
  /** At most so many older ones come back. Default 5. */
  readonly broughtBack?: number
  /** An older one with a lower score stays away. Default 0.3. */
  readonly minScore?: number
  readonly weights?: Partial<EventWeights>
  /** Default: days. */
  readonly clock?: ForgettingClock
  /** How well an event fits what is being said, from 0 to 1; asked of the best candidates only. */
  readonly relevance?: (event: EventRecord) => number
}

/** The chosen numbers of records to keep (R3). */
export const defaultKeep: Readonly<Record<Grain, number>> = { year: 5, month: 6, week: 4, day: 7, moment: 20 }

/** Of more candidates the others are not weighed by relevance. */
const maxWeighed = 200

/**
 * The newest events of each grain and the older ones whose score is high (R20, R21), in order of time, of one time the coarser
 * first. Grows with the number of events, in one pass over them for each grain.
 */
export function selectEvents(events: readonly EventRecord[], now: Moment, options: EventSelection = {}): readonly EventRecord[] {
  const keep = { ...defaultKeep, ...options.keep }
  // From the end, where the newest are: then hardly anything is put in its place and pushed out again.
  const backwards = events.toReversed()
  const newest = new Set(
    grains.flatMap((grain) => topOf(backwards, keep[grain], (event) => (event.grain === grain ? event.startMs : undefined))),
  )
  return [...newest, ...olderEvents(events, newest, { ...options, now })].sort(inTime)
}

/** Earlier first; of one time the coarser grain, then by id. */
export function inTime(a: EventRecord, b: EventRecord): number {
  return a.startMs - b.startMs || grains.indexOf(a.grain) - grains.indexOf(b.grain) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

function olderEvents(
  events: readonly EventRecord[],
  newest: ReadonlySet<EventRecord>,
  { now, broughtBack = 5, minScore = 0.3, relevance, ...options }: EventSelection & { readonly now: Moment },
): readonly EventRecord[] {
  const weights = { ...defaultEventWeights, ...options.weights }
  const scoring = { weights, clock: options.clock ?? ({ by: "days" } as const) }
  const weighs = relevance !== undefined && weights.relevance > 0
  const least = weighs ? minScore - weights.relevance : minScore
  const candidates = topOf(events, weighs ? Math.max(maxWeighed, broughtBack) : broughtBack, (event) => {
    if (newest.has(event)) return undefined
    const score = eventScore(event, now, scoring)
    return score >= least ? score : undefined
  })
  if (!weighs) return candidates
  return topOf(candidates, broughtBack, (event) => {
    const score = eventScore(event, now, { ...scoring, relevance: relevance(event) })
    return score >= minScore ? score : undefined
  })
}

/** How much each counts in an event's score (R21). */
export interface EventWeights {
  readonly stability: number
  /** How well it is remembered now: its age, weighed with its stability. */
  readonly retrievability: number
  readonly importance: number
  /** How well it fits what is being said. */
  readonly relevance: number
}

/** The chosen weights (R21); what is being said does not count, as events come back by themselves. */
export const defaultEventWeights: EventWeights = { stability: 0.3, retrievability: 0.4, importance: 0.3, relevance: 0 }

/** The stability that counts half, in days. */
const halfStabilityDays = 7

/** The score of an event, from 0 to the sum of the weights: it rises with stability, importance and relevance and falls with age. */
export function eventScore(
  event: Pick<EventRecord, "stability" | "recalled" | "importance">,
  now: Moment,
  options: { readonly weights: EventWeights; readonly clock: ForgettingClock; readonly relevance?: number },
): number {
  const { weights, clock, relevance = 0 } = options
  const { stability, recalled, importance } = event
  return (
    weights.stability * (stability / (stability + halfStabilityDays)) +
    weights.retrievability * retrievability(stability, daysBetween(clock, recalled, now)) +
    weights.importance * (importance / 10) +
    weights.relevance * relevance
  )
}
