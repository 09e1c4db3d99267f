import { retrievability } from "../../core/retrievability.ts"
import { daysBetween, type ForgettingClock, type Moment } from "../decay.ts"
import { topOf } from "../ranking.ts"
import type { EventRecord } from "./event-record.ts"
import { type Grain, grains } from "./stamp.ts"

/** The share of each signal in an event's score (R21). */
export interface EventWeights {
  readonly stability: number
  /** How well the event is remembered now: its age against its stability. */
  readonly retrievability: number
  readonly importance: number
  /** How well the event fits the conversation. */
  readonly relevance: number
}

/** The default weights (R21). Relevance has none: events come back without being asked for. */
export const defaultEventWeights: EventWeights = { stability: 0.3, retrievability: 0.4, importance: 0.3, relevance: 0 }

/** A stability of so many days gives half of the share of stability. */
const halfStabilityDays = 7

/** The score of an event, from 0 to the sum of the weights. It rises with stability, importance and relevance and falls with age. */
export function eventScore(
  event: Pick<EventRecord, "stability" | "recalled" | "importance">,
  now: Moment,
  options: { readonly weights: EventWeights; readonly clock: ForgettingClock; readonly relevance?: number },
): number {
  const { weights, clock, relevance = 0 } = options
  const { stability, recalled, importance } = event
  return (
    weights.stability * (stability / (stability + halfStabilityDays)) +
    weights.retrievability * retrievability({ stability, days: daysBetween(clock, recalled, now) }) +
    weights.importance * (importance / 10) +
    weights.relevance * relevance
  )
}

/** How the events of a prompt are chosen. */
export interface EventSelection {
  /** How many of the newest events of each grain are shown. Default 5 years, 6 months, 4 weeks, 7 days, 20 moments. */
  readonly keep?: Partial<Readonly<Record<Grain, number>>>
  /** The most older events that come back. Default 5. */
  readonly broughtBack?: number
  /** Older events with a lower score do not come back. Default 0.3. */
  readonly minScore?: number
  readonly weights?: Partial<EventWeights>
  /** Default: days. */
  readonly clock?: ForgettingClock
  /** How well an event fits the conversation, from 0 to 1. It is called for the best candidates only. */
  readonly relevance?: (event: EventRecord) => number
}

/** The default numbers of newest events (R3). */
export const defaultKeep: Readonly<Record<Grain, number>> = { year: 5, month: 6, week: 4, day: 7, moment: 20 }

/** Only so many candidates are weighed by relevance. */
const maxWeighed = 200

/**
 * The newest events of each grain and the older ones with a high score (R20, R21), in order of time; at one time the coarser grain comes
 * first. The work grows with the number of events: one pass over them for each grain.
 */
export function selectEvents(events: readonly EventRecord[], now: Moment, options: EventSelection = {}): readonly EventRecord[] {
  const keep = { ...defaultKeep, ...options.keep }
  // The newest events are at the end. Beginning there, few items are inserted and pushed out again.
  const backwards = events.toReversed()
  const newest = new Set(
    grains.flatMap((grain) => topOf(backwards, keep[grain], (event) => (event.grain === grain ? event.startMs : undefined))),
  )
  return [...newest, ...olderEvents(events, newest, { ...options, now })].sort(inTime)
}

/** Orders events by time, then by grain from the coarsest, then by id. */
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
