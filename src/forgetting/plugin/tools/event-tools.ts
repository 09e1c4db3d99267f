import { encodeInline } from "../../../encode/inline.ts"
import { daysBetween, reviewStability } from "../../../forgetting/decay.ts"
import { type EventRecord, newEvent, putEvents } from "../../../forgetting/events/event-record.ts"
import { eventScore, inTime } from "../../../forgetting/events/select-events.ts"
import { formatStamp, parseStamp, stampAt, stampRange } from "../../../forgetting/events/stamp.ts"
import type { ZonedCalendar } from "../../../forgetting/events/zoned-calendar.ts"
import { relevanceTo, topOf } from "../../../forgetting/ranking.ts"
import { shorten } from "../../../forgetting/shorten-by-rule.ts"
import type { Tool } from "../../../tools/tool.ts"
import { type ContextToolParts, defineContextTool, refusal } from "./context-tool.ts"

const defaultEvents = 10
const mostEvents = 50

/** `search_events`: events of any age that fit words, in order of time. What is found has come up, and is remembered longer (R17, R21). */
export function searchEventsTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "search_events",
    kinds: { query: "text", number: "number" },
    required: ["query"],
    run({ query = "", number = defaultEvents }) {
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

const defaultImportance = 5
const maxCharacters = 500

/** `record_event`: writes an event of now, or of a time that is named, with its importance (R20, R21). */
export function recordEventTool(parts: ContextToolParts): Tool {
  const { calendar, turn, now } = parts
  return defineContextTool(parts, {
    name: "record_event",
    kinds: { text: "text", importance: "number", when: "text" },
    required: ["text"],
    writes: true,
    run({ text = "", importance = defaultImportance, when }) {
      const words = shorten(text.replace(/\s+/g, " "), maxCharacters)
      if (words === "") throw refusal({ no_text: true })
      const startMs = when === undefined ? now.atMs : momentArgument(when, calendar).startMs
      if (startMs > now.atMs) throw refusal({ in_future: true })
      const state = parts.read()
      const id = `said:${turn.turnId}:${state.events.filter((event) => event.id.startsWith(`said:${turn.turnId}:`)).length + 1}`
      const stamp = formatStamp(stampAt("moment", startMs, calendar))
      const event = { id, grain: "moment", stamp, startMs, endMs: startMs, text: words, importance } as const
      parts.write({ ...state, events: putEvents(state.events, [newEvent({ ...event, sources: [turn.turnId] }, now)]) })
      return { recorded: stamp }
    },
  })
}

const minuteMs = 60_000

/**
 * The stretch of time that an argument names: a stamp as events have, or a date and time as `2026-02-08 3:16`. A failed call for
 * any other text.
 */
export function momentArgument(text: string, calendar: ZonedCalendar): { readonly startMs: number; readonly endMs: number } {
  const stamp = parseStamp(text.trim()) ?? parseStamp(compact(text.trim()))
  if (stamp === undefined) throw refusal({ bad_time: encodeInline(text.slice(0, 80)) })
  const range = stampRange(stamp, calendar)
  return stamp.grain === "moment" ? { startMs: range.startMs, endMs: range.startMs + minuteMs } : range
}

/** `2026-02-08T03:16:00` as a stamp. */
function compact(text: string): string {
  const [date = "", time] = text.replace("T", " ").split(" ")
  const day = date.replaceAll(/[-/.]/g, "")
  return time === undefined ? day : `${day} ${time.split(":").slice(0, 2).join(":")}`
}
