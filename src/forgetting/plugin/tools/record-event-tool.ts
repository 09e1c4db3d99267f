import { newEvent, putEvents } from "../../../forgetting/events/event-record.ts"
import { formatStamp } from "../../../forgetting/events/stamp.ts"
import { stampAt } from "../../../forgetting/events/stamp-range.ts"
import { shorten } from "../../../forgetting/shorten.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { ContextToolParts } from "../context-tool-parts.ts"
import { defineContextTool, refusal } from "./define-context-tool.ts"
import { momentArgument } from "./moment-argument.ts"

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
