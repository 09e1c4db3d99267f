import type { EventRecord } from "../../forgetting/events/event-record.ts"
import { eventScore } from "../../forgetting/events/event-score.ts"
import type { Moment } from "../forgetting-clock.ts"
import type { EventSettings } from "./settings.ts"

/** At most `maxEvents`: what a coarser record summarises is forgotten first, then anything, the lowest score first. */
export function keepWithin(events: readonly EventRecord[], now: Moment, settings: EventSettings): readonly EventRecord[] {
  const surplus = events.length - settings.maxEvents
  if (surplus <= 0) return events
  const summarised = new Set(events.flatMap(({ grain, children }) => (grain === "moment" ? [] : children)))
  const scoring = { weights: settings.weights, clock: { by: "days" } as const }
  const ranked = events
    .map((event) => ({ event, kept: summarised.has(event.id) ? 0 : 1, score: eventScore(event, now, scoring) }))
    .sort((a, b) => a.kept - b.kept || a.score - b.score)
  const forgotten = new Set(ranked.slice(0, surplus).map(({ event }) => event))
  return events.filter((event) => !forgotten.has(event))
}
