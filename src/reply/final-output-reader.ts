import type { Reader } from "../core/reader.ts"
import type { DecisionEvent } from "./decision.ts"
import { createDecisionReader } from "./decision-reader.ts"
import { namesAction } from "./outside-object.ts"
import { createPlainTextReader, type ReplyPart } from "./thinking.ts"

/**
 * Reads a final output. Prose streams as it comes. Output of a model that goes on planning is read like that of a planner:
 * the message of a finish is shown, a tool call is not (T21). Other JSON is an answer and is shown when it has ended.
 */
export function createFinalOutputReader(options: Parameters<typeof createPlainTextReader>[0] = {}): Reader<string, ReplyPart> {
  const plain = createPlainTextReader(options)
  let text: Reader<string, string> | undefined
  let opening = ""
  const read = (part: ReplyPart): ReplyPart[] => {
    if (part.type === "thinking") return [part]
    if (text) return text.push(part.delta).map(asText)
    opening += part.delta
    const begin = beginning(opening)
    if (begin === "unknown") return []
    text = begin === "json" ? createEmbeddedDecisionReader() : prose
    return text.push(opening).map(asText)
  }
  return {
    push: (chunk) => (text === prose ? plain.push(chunk) : plain.push(chunk).flatMap(read)),
    end: () => [...plain.end().flatMap(read), ...(text ? text.end() : opening === "" ? [] : [opening]).map(asText)],
  }
}

const prose: Reader<string, string> = { push: (delta) => [delta], end: () => [] }

function asText(delta: string): ReplyPart {
  return { type: "text", delta }
}

/** Tells as soon as it can that a text begins with an object, bare or in a fence, or with prose. */
function beginning(text: string): "json" | "prose" | "unknown" {
  const start = text.trimStart()
  if (start === "") return "unknown"
  if (start.startsWith("{")) return "json"
  if (!start.startsWith("`")) return "prose"
  const lineEnd = start.indexOf("\n")
  if (lineEnd < 0) return start.length > maxFenceLine || !"```".startsWith(start.slice(0, 3)) ? "prose" : "unknown"
  if (!/^```[ \t]*(json)?[ \t]*$/i.test(start.slice(0, lineEnd).trimEnd())) return "prose"
  const inside = start.slice(lineEnd).trimStart()
  return inside === "" ? "unknown" : inside.startsWith("{") ? "json" : "prose"
}

const maxFenceLine = 16

/** Yields the message of a decision, or the text itself when it is no decision. */
function createEmbeddedDecisionReader(): Reader<string, string> {
  const reader = createDecisionReader()
  const whole: string[] = []
  let shown = false
  const messages = (events: readonly DecisionEvent[]): string[] => {
    const deltas = events.flatMap((event) => (event.type === "message-delta" ? [event.delta] : []))
    shown ||= deltas.length > 0
    return deltas
  }
  return {
    push(delta) {
      whole.push(delta)
      return messages(reader.push(delta))
    },
    end() {
      const deltas = messages(reader.end())
      if (shown) return deltas
      const text = whole.join("")
      return text.includes('"action"') || namesAction(text) ? [] : [text]
    },
  }
}
