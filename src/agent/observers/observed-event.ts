import type { ObservedEvent } from "../../services/observer.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"

/** Deeper than any event. */
const maxDepth = 64

/** An event without the traces in it, which are large and still being written; the rest is the event's own. */
export function withoutTrace(event: TurnEvent): ObservedEvent {
  if (event.type === "child") return { ...event, event: withoutTrace(event.event) }
  if (event.type !== "turn-end") return event
  const { result } = event
  if (result.ok) {
    const { trace: _, ...rest } = result
    return { ...event, result: rest }
  }
  const { error, gathered } = result
  const { code, message } = error
  return { ...event, result: { ok: false, error: { code, message }, gathered: { text: gathered.text } } }
}

/** A copy that shares nothing with the turn, so that an observer can neither change nor hold on to what the turn works with. */
export function copyOfEvent(event: ObservedEvent): ObservedEvent {
  return copy(event, 0) as ObservedEvent
}

/** What JSON cannot hold is left out. */
function copy(value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null) return value
  if (typeof value !== "object" || depth > maxDepth) return undefined
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1) ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, depth + 1)]))
}
