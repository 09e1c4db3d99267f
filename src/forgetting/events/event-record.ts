import { firstStabilityDays } from "../../core/retrievability.ts"
import type { Moment } from "../decay.ts"
import type { Grain } from "./stamp.ts"

/** Something that happened, or what a stretch of time came to (R20): plain JSON. */
export interface EventRecord {
  /** Unique in its conversation. */
  readonly id: string
  readonly grain: Grain
  /** As it is printed, in the time zone in which it was written. */
  readonly stamp: string
  readonly startMs: number
  readonly endMs: number
  readonly text: string
  /** From 0 to 10, set when it is written (R21). */
  readonly importance: number
  /** Days until its retrievability is 0.9. */
  readonly stability: number
  /** When it last came up. */
  readonly recalled: Moment
  /** Its own difficulty; the higher, the less a recall strengthens. */
  readonly difficulty?: number
  /** Ids of what it summarises, or of the parts of a topic. */
  readonly children: readonly string[]
  /** Where it was drawn from: ids of turns, or sources of reference info. */
  readonly sources: readonly string[]
}

/** What a new event is made of; the rest is as in anything new. */
export type NewEvent = Pick<EventRecord, "id" | "grain" | "stamp" | "startMs" | "endMs" | "text" | "importance"> &
  Partial<Pick<EventRecord, "children" | "sources" | "difficulty">>

const mostImportant = 10

/** A new event, remembered from the moment it ended, or from `now` where that came before. */
export function newEvent(event: NewEvent, now: Moment): EventRecord {
  const importance = Number.isFinite(event.importance) ? Math.min(mostImportant, Math.max(0, event.importance)) : 0
  const recalled = { atMs: Math.min(event.endMs, now.atMs), turn: now.turn }
  return { children: [], sources: [], ...event, importance, stability: firstStabilityDays, recalled }
}

/** Puts events in by the time they began, a known id in its old one's place: what a roll-up hands over twice is there once. */
export function putEvents(events: readonly EventRecord[], added: readonly EventRecord[]): readonly EventRecord[] {
  if (added.length === 0) return events
  const byId = new Map(events.map((event) => [event.id, event]))
  for (const event of added) byId.set(event.id, event)
  return [...byId.values()].sort((a, b) => a.startMs - b.startMs)
}
