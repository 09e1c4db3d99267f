import { retrievability } from "../../core/retrievability.ts"
import { daysBetween, type ForgettingClock, type Moment } from "../forgetting-clock.ts"
import type { EventRecord } from "./event-record.ts"

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
