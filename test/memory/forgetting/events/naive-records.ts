import type { Moment } from "../../../../src/memory/forgetting/decay.ts"
import type { EventRecord } from "../../../../src/memory/forgetting/events/event-record.ts"
import type { EventSelection, EventWeights } from "../../../../src/memory/forgetting/events/select-events.ts"
import { type Grain, grains } from "../../../../src/memory/forgetting/events/stamp.ts"
import { relevanceTo } from "../../../../src/memory/forgetting/ranking.ts"

type Events = readonly EventRecord[]
type Keep = Readonly<Record<Grain, number>>

const endOf = ({ startMs, endMs }: EventRecord) => (endMs > startMs ? endMs : startMs + 1)
const isPeriod = ({ grain }: EventRecord) => grain !== "moment"
const spans = (record: EventRecord, atMs: number) => isPeriod(record) && record.startMs <= atMs && atMs < endOf(record)
const meet = (a: EventRecord, b: EventRecord) => a.startMs < endOf(b) && b.startMs < endOf(a)
const widthOf = (text: string) => [...text].reduce((sum, character) => sum + (character < "\u1100" ? 1 : 2), 0)

/** The topic that tells an event as a part of it; of several the one that begins last. */
function topicOf(event: EventRecord, events: Events): EventRecord | undefined {
  const topics = events.filter(({ grain, children }) => grain === "moment" && children.includes(event.id))
  return topics.toSorted((a, b) => a.startMs - b.startMs).at(-1)
}

/** Chooses as {@link selectEvents} does before anything comes back, with no search and no order to rely on. */
export function naiveChoice(events: Events, keep: Keep, shownCharacters: number): Events {
  const wholes = events.filter((event) => topicOf(event, events) === undefined).toSorted((a, b) => a.startMs - b.startMs)
  const filled = (others: Events, of: readonly Grain[], [fromMs, untilMs]: readonly [number, number]): Events => {
    const chosen = [...others]
    for (const grain of of)
      for (const record of wholes.filter((one) => one.grain === grain).toReversed()) {
        if (record.startMs < fromMs || record.startMs >= untilMs || endOf(record) > untilMs) continue
        if (chosen.filter((one) => one.grain === grain).length >= keep[grain]) continue
        const isTaken = (one: EventRecord) => (isPeriod(record) ? isPeriod(one) && meet(one, record) : spans(one, record.startMs))
        if (!chosen.some(isTaken)) chosen.push(record)
      }
    return chosen
  }
  let chosen = filled([], grains, [-Infinity, Infinity])
  for (;;) {
    const newest = chosen
      .filter(isPeriod)
      .toSorted((a, b) => a.startMs - b.startMs)
      .at(-1)
    if (newest === undefined) return chosen
    const finer = grains.slice(grains.indexOf(newest.grain) + 1)
    const others = chosen.filter((one) => one !== newest)
    const opened = filled(others, finer, [newest.startMs, endOf(newest)])
    const children = newest.children.map((id) => events.find((one) => one.id === id))
    const isTold = (child: EventRecord | undefined) =>
      child !== undefined && (opened.includes(child) || opened.some((one) => spans(one, child.startMs)))
    const width = opened.reduce((sum, { text }) => sum + widthOf(text), 0)
    if (children.length === 0 || !children.every(isTold) || width > shownCharacters) return chosen
    chosen = opened
  }
}

/** Half of the share of stability at seven days, 0.9 after as many days as the stability says, importance of ten, and the fit (R21). */
export function naiveScore({ stability, recalled, importance }: EventRecord, now: Moment, fit: number, weights: EventWeights) {
  const days = Math.max(0, now.turn - recalled.turn) / turnsPerDay
  const shares = [stability / (stability + 7), 0.9 ** (days / stability), importance / 10, fit] as const
  const [ofStability, remembered, ofImportance, ofFit] = shares
  const { stability: s, retrievability: r, importance: i, relevance: f } = weights
  return s * ofStability + r * remembered + i * ofImportance + f * ofFit
}

export const turnsPerDay = 8

interface Back extends Required<Pick<EventSelection, "broughtBack" | "minScore" | "relevance">> {
  readonly weights: EventWeights
}

/** The events that come back beside `shown`, found one after the other. */
export function naiveBack(events: Events, shown: Events, now: Moment, options: Back): Events {
  const { weights, broughtBack, minScore, relevance } = options
  const fitOf = (event: EventRecord) => (weights.relevance > 0 ? relevance(event) : 0)
  const scored = events.flatMap((event) => {
    const own = fitOf(event)
    const isSpokenOf = own >= 0.4
    if (!isSpokenOf && shown.some(({ text }) => text === event.text)) return []
    const score = naiveScore(event, now, isSpokenOf ? own : 0, weights)
    const hasKnownPart = event.children.some((id) => events.some((one) => one.id === id))
    if (shown.includes(event) || (isPeriod(event) && hasKnownPart) || score < minScore) return []
    const topic = topicOf(event, events)
    const record = topic && shown.includes(topic) ? topic : shown.find((one) => spans(one, event.startMs))
    if (record === undefined) return [{ event, score }]
    const matters = event.importance >= record.importance + 2 || event.stability >= record.stability + 0.5
    const told = isSpokenOf ? fitOf(record) / own : relevanceTo(event)(record)
    return (isSpokenOf || matters) && told < 0.5 ? [{ event, score }] : []
  })
  const best = scored.toSorted((a, b) => b.score - a.score).slice(0, 2 * broughtBack)
  const isPart = ({ id }: EventRecord) => best.some(({ event }) => event.children.includes(id))
  return best.flatMap(({ event }) => (isPart(event) ? [] : [event])).slice(0, broughtBack)
}
