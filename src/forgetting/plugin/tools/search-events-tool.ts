import { encodeInline } from "../../../encode/inline.ts"
import { reviewStability } from "../../../forgetting/decay.ts"
import type { EventRecord } from "../../../forgetting/events/event-record.ts"
import { eventScore } from "../../../forgetting/events/event-score.ts"
import { inTime } from "../../../forgetting/events/select-events.ts"
import { daysBetween } from "../../../forgetting/forgetting-clock.ts"
import { relevanceTo } from "../../../forgetting/relevance.ts"
import { topOf } from "../../../forgetting/top-of.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { ContextToolParts } from "../context-tool-parts.ts"
import { defineContextTool } from "./define-context-tool.ts"

const defaultNumber = 10
const mostEvents = 50

/** `search_events`: events of any age that fit words, in order of time. What is found has come up, and is remembered longer (R17, R21). */
export function searchEventsTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "search_events",
    kinds: { query: "text", number: "number" },
    required: ["query"],
    run({ query = "", number = defaultNumber }) {
      const state = parts.read()
      const found = search(state.events, query, { parts, limit: Math.min(mostEvents, Math.max(1, Math.floor(number))) })
      if (found.length > 0) parts.write({ ...state, events: recalled(state.events, found, parts) })
      return { count: found.length, lines: found.map(({ stamp, text }) => `${stamp} ${encodeInline(text)}`).join("\n") }
    },
  })
}

const clock = { by: "days" } as const

/** What has none of the words is not found, however important; among the rest the words count as much as all else. */
function search(
  events: readonly EventRecord[],
  query: string,
  { parts: { now, settings }, limit }: { readonly parts: ContextToolParts; readonly limit: number },
): readonly EventRecord[] {
  const relevance = relevanceTo(query)
  const best = topOf(events, limit, (event) => {
    const fit = relevance(event.text)
    return fit === 0 ? undefined : fit + eventScore(event, now, { weights: settings.events.weights, clock })
  })
  return best.sort(inTime)
}

function recalled(
  events: readonly EventRecord[],
  found: readonly EventRecord[],
  { now }: Pick<ContextToolParts, "now">,
): readonly EventRecord[] {
  const ids = new Set(found.map(({ id }) => id))
  return events.map((event) => {
    if (!ids.has(event.id)) return event
    const stability = reviewStability({
      stability: event.stability,
      days: daysBetween(clock, event.recalled, now),
      turnsSince: now.turn - event.recalled.turn,
      use: "used",
      preset: "event",
      ...(event.difficulty === undefined ? {} : { difficulty: event.difficulty }),
    })
    return { ...event, stability, recalled: now }
  })
}
