import { encodeInline } from "../../../../prompt/encode/inline.ts"
import type { Tool } from "../../../../prompt/tools/tool.ts"
import { shorten } from "../../../services/shorten-by-rule.ts"
import { type EventRecord, newEvent, putEvents, recallEvents } from "../../events/event-record.ts"
import { eventScore, inTime } from "../../events/select-events.ts"
import { formatStamp, parseStamp, stampAt, stampIn, stampRange } from "../../events/stamp.ts"
import type { ZonedCalendar } from "../../events/zoned-calendar.ts"
import { relevanceTo, topOf } from "../../ranking.ts"
import { CallRefusal, type ContextToolParts, defineContextTool } from "./context-tool.ts"

const defaultEvents = 10
const mostEvents = 50

/** `search_events`: finds events of any age that fit words, in order of time. Found events count as recalled (R17, R21). */
export function searchEventsTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "search_events",
    kinds: { query: "text", number: "number" },
    required: ["query"],
    run({ query = "", number = defaultEvents }) {
      const state = parts.read()
      const found = search(state.events, query, Math.min(mostEvents, Math.max(1, Math.floor(number))), parts)
      const ids = new Set(found.map(({ id }) => id))
      if (ids.size > 0) parts.write({ ...state, events: recallEvents(state.events, ids, parts.now) })
      return {
        count: found.length,
        lines: found.map(({ stamp, text }) => `${stampIn(parts.settings.locale, stamp)} ${encodeInline(text)}`).join("\n"),
      }
    },
  })
}

type Events = readonly EventRecord[]
const clock = { by: "days" } as const

/** An event with none of the words is not found. For the others the words count as much as the whole score. */
function search(events: Events, query: string, limit: number, { now, settings, memo }: ContextToolParts): Events {
  const relevance = relevanceTo({ text: query }, memo)
  const best = topOf(events, limit, (event) => {
    const fit = relevance(event)
    return fit === 0 ? undefined : fit + eventScore(event, now, { weights: settings.events.weights, clock })
  })
  return best.sort(inTime)
}

const defaultImportance = 5
const maxCharacters = 500

/** `record_event`: writes an event of now or of a given time, with its importance (R20, R21). */
export function recordEventTool(parts: ContextToolParts): Tool {
  const { calendar, turn, now } = parts
  return defineContextTool(parts, {
    name: "record_event",
    kinds: { text: "text", importance: "number", when: "text" },
    required: ["text"],
    writes: true,
    run({ text: given = "", importance = defaultImportance, when }) {
      const text = shorten(given.replace(/\s+/g, " "), maxCharacters)
      if (text === "") throw new CallRefusal({ no_text: true })
      const startMs = when === undefined ? now.atMs : momentArgument(when, calendar).startMs
      if (startMs > now.atMs) throw new CallRefusal({ in_future: true })
      const state = parts.read()
      const prefix = `said:${turn.turnId}:`
      const id = `${prefix}${state.events.filter((event) => event.id.startsWith(prefix)).length + 1}`
      const stamp = formatStamp(stampAt("moment", startMs, calendar))
      const sources = [turn.turnId]
      const event = newEvent({ id, grain: "moment", stamp, startMs, endMs: startMs, text, importance, sources }, now)
      parts.write({ ...state, events: putEvents(state.events, [event]) })
      return { recorded: stamp }
    },
  })
}

/**
 * The period that an argument names: a stamp as events have it, or a date and time such as `2026-02-08 3:16`. Any other text is refused.
 */
export function momentArgument(text: string, calendar: ZonedCalendar): ReturnType<typeof stampRange> {
  const stamp = parseStamp(text.trim()) ?? parseStamp(compact(text.trim()))
  if (stamp === undefined) throw new CallRefusal({ bad_time: encodeInline(text.slice(0, 80)) })
  return stampRange(stamp, calendar)
}

/** Writes `2026-02-08T03:16:00` as a stamp. */
function compact(text: string): string {
  const [date = "", time] = text.replace("T", " ").split(" ")
  const day = date.replaceAll(/[-/.]/g, "")
  return time === undefined ? day : `${day} ${time.split(":").slice(0, 2).join(":")}`
}
