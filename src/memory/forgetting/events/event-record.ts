import { firstStabilityDays } from "../../../core/retrievability.ts"
import { daysBetween, type Moment, reviewStability } from "../decay.ts"
import type { Grain } from "./stamp.ts"

/** An event, or the summary of a period of time (R20): plain JSON. */
export interface EventRecord {
  /** Unique in its conversation. */
  readonly id: string
  readonly grain: Grain
  /** The printed time, in the time zone in which the event was written. */
  readonly stamp: string
  readonly startMs: number
  readonly endMs: number
  readonly text: string
  /** From 0 to 10, set when the event is written (R21). */
  readonly importance: number
  /** Days until its retrievability is 0.9. */
  readonly stability: number
  /** When it last came up. */
  readonly recalled: Moment
  /** Its own difficulty: the higher, the less a recall strengthens it. */
  readonly difficulty?: number
  /** Ids of the records that it summarises, or of the parts of a topic. */
  readonly children: readonly string[]
  /** Ids of the turns, or sources of the reference info, from which it was written. */
  readonly sources: readonly string[]
}

/** The fields of a new event that have no default. */
export type NewEvent = Pick<EventRecord, "id" | "grain" | "stamp" | "startMs" | "endMs" | "text" | "importance"> &
  Partial<Pick<EventRecord, "children" | "sources" | "difficulty">>

/** Makes an event. It counts as last recalled at its end, or at `now` if that is earlier. */
export function newEvent(event: NewEvent, now: Moment): EventRecord {
  const importance = Number.isFinite(event.importance) ? Math.min(10, Math.max(0, event.importance)) : 0
  const recalled = { atMs: Math.min(event.endMs, now.atMs), turn: now.turn }
  return { children: [], sources: [], ...event, importance, stability: firstStabilityDays, recalled }
}

/** The events with those that came up counted as recalled now (R17, R18, R21). */
export function recallEvents(events: readonly EventRecord[], ids: ReadonlySet<string>, now: Moment): readonly EventRecord[] {
  if (ids.size === 0) return events
  return events.map((event) => {
    if (!ids.has(event.id)) return event
    const { stability, difficulty, recalled } = event
    const [days, turnsSince] = [daysBetween({ by: "days" }, recalled, now), now.turn - recalled.turn]
    return {
      ...event,
      stability: reviewStability({ stability, days, turnsSince, use: "used", preset: "event", difficulty }),
      recalled: now,
    }
  })
}

/** Adds events in the order of their begin. An event with a known id replaces the old one. */
export function putEvents(events: readonly EventRecord[], added: readonly EventRecord[]): readonly EventRecord[] {
  if (added.length === 0) return events
  const byId = new Map([...events, ...added].map((event) => [event.id, event]))
  return [...byId.values()].sort((a, b) => a.startMs - b.startMs)
}
