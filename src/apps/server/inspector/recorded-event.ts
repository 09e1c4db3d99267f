import type { ToolRun } from "../../../prompt/tools/tool.ts"
import type { TurnEvent } from "../../../trace/turn-event.ts"
import type { RecordedEvent } from "./turn-record.ts"

/** A {@link RecordedEvent} that may still grow. */
export type WritableEvent = { -readonly [K in keyof RecordedEvent]: RecordedEvent[K] }

/** An event as a record keeps it, `atMs` after the beginning of its turn. */
export function eventOf(event: TurnEvent, atMs: number): RecordedEvent {
  const { type } = event
  switch (type) {
    case "step-start":
      return { type, atMs, id: String(event.step), name: event.prompt }
    case "step-end":
      return { type, atMs, id: String(event.step), text: event.error }
    case "prestart-start":
    case "tool-start":
    case "tool-progress":
      return { type, atMs, id: event.id, name: event.tool }
    case "prestart-end":
    case "tool-end":
      return runEvent(type, atMs, event.run)
    case "confirm-start":
    case "confirm-end":
      return { type, atMs, id: event.id, name: event.request.tool }
    case "child":
      return {
        ...{ type, atMs, id: event.id, name: event.name, text: event.event.type },
        ...("delta" in event.event && { endMs: atMs, characters: event.event.delta.length }),
      }
    case "retry":
      return { type, atMs, name: event.model, text: event.reason }
    case "warning":
      return { type, atMs, name: event.warning.kind, text: event.warning.message }
    case "emotion":
      return { type, atMs, name: event.emotion }
    case "output-event":
      return { type, atMs, name: event.name }
    case "bubble":
      return { type, atMs, characters: event.text.length }
    default:
      return { type, atMs }
  }
}

/** Makes a delta of a child a part of the last event if that is one of the same run. Returns true if it is. */
export function joinsLast(last: WritableEvent | undefined, { id, event }: TurnEvent & { type: "child" }, atMs: number): boolean {
  if (last?.type !== "child" || last.id !== id || last.text !== event.type || !("delta" in event)) return false
  last.endMs = atMs
  last.characters = (last.characters ?? 0) + event.delta.length
  return true
}

function runEvent(type: "prestart-end" | "tool-end", atMs: number, { id, tool, status }: ToolRun): RecordedEvent {
  return { type, atMs, id, name: tool, text: status === "failed" ? status : undefined }
}
