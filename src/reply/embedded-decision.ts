import type { Reader } from "../core/reader.ts"
import type { DecisionEvent } from "./decision.ts"
import { createDecisionReader } from "./decision-reader.ts"
import { namesAction } from "./outside-object.ts"

/** Yields the message of a decision, or the text itself when it is no decision. */
export function createEmbeddedDecisionReader(): Reader<string, string> {
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
