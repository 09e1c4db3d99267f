import { countWhile } from "../../../core/binary-search.ts"
import { checkOptions, checkShape } from "../../../core/check-options.ts"
import { Memo } from "../../../core/memo.ts"
import { retrievability } from "../../../core/retrievability.ts"
import { daysBetween, type ForgettingClock, type Moment } from "../decay.ts"
import { relevanceTo, topOf } from "../ranking.ts"
import { textWidth } from "../text-width.ts"
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

/** The score of an event, from 0 to the sum of the weights. It rises with stability, importance and relevance and falls with age. */
export function eventScore(
  { stability, recalled, importance }: ScoredEvent,
  now: Moment,
  { weights, clock, relevance = 0 }: { weights: EventWeights; clock: ForgettingClock; relevance?: number },
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
const momentShape = { atMs: "number", turn: "number" }
const ofEvent = { id: "string", grain: "string", startMs: "number", endMs: "number", text: "string", stability: "number" }
const eventShape = { ...ofEvent, importance: "number", recalled: momentShape, children: ["string"] }
/** By so much an event must be more important, or its stability higher, than that of the record that stands for its time. */
const margins = { importance: 2, stability: 0.5 } as const

/**
 * The events that a prompt shows, in order of time (R20, R21): each stretch of time once, at the coarsest grain, but the newest ones in
 * finer records while there is room. Older events come back with a high score if the record that stands for their time does not do for
 * them: it does not tell them, and they are spoken of, matter more, or came up more often. Words that are shown already come back only
 * if they are spoken of.
 */
export function selectEvents(events: readonly EventRecord[], now: Moment, options: EventSelection = {}): readonly EventRecord[] {
  checkOptions("selectEvents", options, "keep shownCharacters broughtBack minScore weights clock relevance")
  checkOptions("keep of selectEvents", options.keep ?? {}, defaultSelection.keep)
  checkOptions("weights of selectEvents", options.weights ?? {}, defaultEventWeights)
  checkShape("the events of selectEvents", events, [eventShape])
  checkShape("the moment of selectEvents", now, momentShape)
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
  const told = new Set(shown.map(({ text }) => text))
  const best = topOf(events, 2 * broughtBack, (event) => {
    const own = fitOf(event)
    const isSpokenOf = own >= leastRelevance
    const score = eventScore(event, now, { weights, clock, relevance: isSpokenOf ? own : 0 })
    if (score < minScore || isShown.has(event) || (!isSpokenOf && told.has(event.text))) return undefined
    if (event.grain !== "moment" && event.children.some((id) => byId.has(id))) return undefined
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

/** How much is shown of what happened. */
interface RecordLimits {
  /** The most records of each grain, the newest. */
  readonly keep: Readonly<Record<Grain, number>>
  /** The newest records give way to finer ones as long as all texts together are not wider. */
  readonly shownCharacters: number
}

type KnownRecords = ReturnType<typeof knownRecords>

/**
 * Sorts events for choosing among them: those that others summarise by id, and all by grain in order of time, without the parts of a
 * topic, which stands for them. The work grows with their number.
 */
function knownRecords(events: readonly EventRecord[]) {
  const inOrder = events.toSorted((a, b) => a.startMs - b.startMs)
  const [byId, topicOfPart] = [new Map<string, EventRecord>(), new Map<string, EventRecord>()]
  const parts = new Set(inOrder.flatMap(({ children }) => children))
  for (const event of inOrder) {
    if (parts.has(event.id)) byId.set(event.id, event)
    if (event.grain === "moment") for (const id of event.children) topicOfPart.set(id, event)
  }
  const wholes = topicOfPart.size === 0 ? inOrder : inOrder.filter(({ id }) => !topicOfPart.has(id))
  return { byId, byGrain: Map.groupBy(wholes, ({ grain }) => grain), topicOfPart }
}

/**
 * Chooses the records that show each stretch of time once, at the coarsest grain that there is (R20). Then the newest ones give way to
 * finer records while there is room, so that yesterday is not lost in a month. In order of time.
 */
function chooseRecords(known: KnownRecords, { keep, shownCharacters }: RecordLimits): readonly EventRecord[] {
  let chosen = fill([], known, { keep, of: grains, fromMs: -Infinity, untilMs: Infinity })
  for (;;) {
    const newest = chosen.findLast(({ grain }) => grain !== "moment")
    if (newest === undefined) return chosen
    const others = chosen.filter((record) => record !== newest)
    const finer = grains.slice(grains.indexOf(newest.grain) + 1)
    const opened = fill(others, known, { keep, of: finer, fromMs: newest.startMs, untilMs: endOf(newest) })
    const isTold = newest.children.map((id) => {
      const child = known.byId.get(id)
      return child !== undefined && (opened.includes(child) || recordOver(opened, child) !== undefined)
    })
    if (isTold.length === 0 || isTold.includes(false) || widthOf(opened) > shownCharacters) return chosen
    chosen = opened
  }
}

/** The record in whose time an event begins. `chosen` are records that do not overlap, in order of time. */
function recordOver(chosen: readonly EventRecord[], { startMs }: Pick<EventRecord, "startMs">): EventRecord | undefined {
  for (let at = countBefore(chosen, startMs + 1) - 1; at >= 0; at--) {
    const record = chosen[at]
    if (record !== undefined && record.grain !== "moment") return endOf(record) > startMs ? record : undefined
  }
  return undefined
}

interface FillOptions {
  readonly keep: RecordLimits["keep"]
  readonly of: readonly Grain[]
  readonly fromMs: number
  readonly untilMs: number
}

/** Adds records of a time that overlap no others, from the coarsest grain on, of each the newest. */
function fill(
  others: readonly EventRecord[],
  { byGrain }: KnownRecords,
  { keep, of, fromMs, untilMs }: FillOptions,
): readonly EventRecord[] {
  let chosen = others
  for (const grain of of) {
    const records = byGrain.get(grain) ?? []
    const added: EventRecord[] = []
    let left = keep[grain] - chosen.filter((record) => record.grain === grain).length
    for (let at = countBefore(records, untilMs) - 1; left > 0 && at >= 0; at--) {
      const record = records[at]
      if (record === undefined || record.startMs < fromMs) break
      const before = added.at(-1)
      const isFree =
        grain === "moment" || ((before === undefined || endOf(record) <= before.startMs) && !overlaps(chosen, record))
      if (!isFree || endOf(record) > untilMs || recordOver(chosen, record) !== undefined) continue
      added.push(record)
      left--
    }
    chosen = [...chosen, ...added].sort((a, b) => a.startMs - b.startMs)
  }
  return chosen
}

function overlaps(chosen: readonly EventRecord[], record: EventRecord): boolean {
  const last = chosen.slice(0, countBefore(chosen, endOf(record))).findLast(({ grain }) => grain !== "moment")
  return last !== undefined && endOf(last) > record.startMs
}

/** A period lasts at least a moment. */
function endOf({ startMs, endMs }: EventRecord): number {
  return Math.max(endMs, startMs + 1)
}

/** The number of records, sorted by their begin, that begin before a time. */
function countBefore(records: readonly EventRecord[], ms: number): number {
  return countWhile(records.length, (at) => (records[at]?.startMs ?? 0) < ms)
}

function widthOf(records: readonly EventRecord[]): number {
  return records.reduce((sum, { text }) => sum + textWidth(text), 0)
}
