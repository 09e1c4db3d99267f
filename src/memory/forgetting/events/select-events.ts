import { checkOptions, checkType } from "../../../core/check-options.ts"
import { Memo } from "../../../core/memo.ts"
import { retrievability } from "../../../core/retrievability.ts"
import { daysBetween, type ForgettingClock, type Moment } from "../decay.ts"
import { relevanceTo, topOf } from "../ranking.ts"
import { chooseRecords, type KnownRecords, knownRecords, recordOver } from "./choose-records.ts"
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

/** The default weights (R21). Relevance counts most: what is spoken of comes back, however old it is. */
export const defaultEventWeights: EventWeights = { stability: 0.3, retrievability: 0.4, importance: 0.3, relevance: 1 }

/** A stability of so many days gives half of the share of stability. */
const halfStabilityDays = 7

type ScoredEvent = Pick<EventRecord, "stability" | "recalled" | "importance">

interface ScoreOptions {
  readonly weights: EventWeights
  readonly clock: ForgettingClock
  readonly relevance?: number
}

/** The score of an event, from 0 to the sum of the weights. It rises with stability, importance and relevance and falls with age. */
export function eventScore(
  { stability, recalled, importance }: ScoredEvent,
  now: Moment,
  { weights, clock, relevance = 0 }: ScoreOptions,
): number {
  return (
    weights.stability * (stability / (stability + halfStabilityDays)) +
    weights.retrievability * retrievability({ stability, days: daysBetween(clock, recalled, now) }) +
    weights.importance * (importance / 10) +
    weights.relevance * relevance
  )
}

/** How the events of a prompt are chosen. */
export interface EventSelection {
  /** The most records of each grain that are shown, the newest. Default 5 years, 6 months, 4 weeks, 7 days, 20 moments. */
  readonly keep?: Partial<Readonly<Record<Grain, number>>>
  /**
   * The newest records give way to finer ones while all texts together are not longer. A character of Chinese, Japanese or Korean
   * counts two. Default 2,000.
   */
  readonly shownCharacters?: number
  /** The most older events that come back. Default 3. */
  readonly broughtBack?: number
  /** Older events with a lower score do not come back. Default 0.3. */
  readonly minScore?: number
  readonly weights?: Partial<EventWeights>
  /** Default: days. */
  readonly clock?: ForgettingClock
  /** How well an event fits the conversation, from 0 to 1. From 0.4 on it counts as spoken of. */
  readonly relevance?: (event: EventRecord) => number
}

/** The default choice, with the numbers of shown records of R3. */
export const defaultSelection = {
  keep: { year: 5, month: 6, week: 4, day: 7, moment: 20 },
  shownCharacters: 2_000,
  broughtBack: 3,
  minScore: 0.3,
  weights: defaultEventWeights,
} as const satisfies EventSelection

/** An event that fits the question so well is spoken of. */
export const leastRelevance = 0.4
/** A record that fits at least by this share of what an event fits tells the event, so that nobody needs it beside the record. */
const toldShare = 0.5
/** By so much an event must be more important, or its stability higher, than that of the record that stands for its time. */
const margins = { importance: 2, stability: 0.5 } as const

/**
 * The events that a prompt shows, in order of time (R20, R21): each stretch of time once, at the coarsest grain, but the newest ones in
 * finer records while there is room. Older events come back with a high score if the record that stands for their time does not do for
 * them: it does not tell them, and they are spoken of, matter more, or came up more often.
 */
export function selectEvents(events: readonly EventRecord[], now: Moment, options: EventSelection = {}): readonly EventRecord[] {
  checkType("the events of selectEvents", events, "list")
  checkOptions("selectEvents", options, "keep shownCharacters broughtBack minScore weights clock relevance")
  checkOptions("keep of selectEvents", options.keep ?? {}, defaultSelection.keep)
  checkOptions("weights of selectEvents", options.weights ?? {}, defaultEventWeights)
  return pickEvents(events, now, options)
}

/** {@link selectEvents} without a check of the options. `memo` holds what is known of the events' texts. */
export function pickEvents(
  events: readonly EventRecord[],
  now: Moment,
  options: EventSelection,
  memo = new Memo(),
): readonly EventRecord[] {
  const { shownCharacters = defaultSelection.shownCharacters } = options
  const known = knownRecords(events)
  const shown = chooseRecords(known, { keep: { ...defaultSelection.keep, ...options.keep }, shownCharacters })
  return [...shown, ...comingBack(events, now, { ...options, known, shown, memo })].sort(inTime)
}

/** Orders events by time, then by grain from the coarsest, then by id. */
export function inTime(a: EventRecord, b: EventRecord): number {
  return a.startMs - b.startMs || grains.indexOf(a.grain) - grains.indexOf(b.grain) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

interface ReturnOptions extends EventSelection {
  readonly known: KnownRecords
  readonly shown: readonly EventRecord[]
  readonly memo: Memo
}

/** The best of the events that are not shown. A record does not come back where events that it summarises can. */
function comingBack(
  events: readonly EventRecord[],
  now: Moment,
  { known: { byId, topicOfPart }, shown, memo, relevance, ...options }: ReturnOptions,
): readonly EventRecord[] {
  const { broughtBack = defaultSelection.broughtBack, minScore = defaultSelection.minScore } = options
  const weights = { ...defaultEventWeights, ...options.weights }
  const clock = options.clock ?? ({ by: "days" } as const)
  const fitOf = (event: EventRecord) => (weights.relevance > 0 ? (relevance?.(event) ?? 0) : 0)
  const isShown = new Set(shown)
  const best = topOf(events, 2 * broughtBack, (event) => {
    if (isShown.has(event)) return undefined
    if (event.grain !== "moment" && event.children.some((id) => byId.has(id))) return undefined
    const own = fitOf(event)
    const isSpokenOf = own >= leastRelevance
    const score = eventScore(event, now, { weights, clock, relevance: isSpokenOf ? own : 0 })
    if (score < minScore) return undefined
    const topic = topicOfPart.get(event.id)
    const record = topic !== undefined && isShown.has(topic) ? topic : recordOver(shown, event)
    if (record === undefined) return score
    const isMissed =
      isSpokenOf ||
      event.importance >= record.importance + margins.importance ||
      event.stability >= record.stability + margins.stability
    if (!isMissed) return undefined
    const its = isSpokenOf ? fitOf(record) / own : relevanceTo(event, memo)(record)
    return its >= toldShare ? undefined : score
  })
  const parts = new Set(best.flatMap(({ children }) => children))
  return best.filter(({ id }) => !parts.has(id)).slice(0, broughtBack)
}
