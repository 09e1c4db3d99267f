import type { Reader } from "../../src/core/reader.ts"
import type { Decision, DecisionEvent } from "../../src/reply/decision.ts"

/** Readers as they are written in a hurry, to prove that the tests can fail. */

/** Decodes the escapes of each chunk by itself once `"message": "` went by. */
export function readerThatDecodesPerChunk(): Reader<string, DecisionEvent> {
  let head = ""
  let shown = ""
  let inMessage = false
  let over = false
  return {
    push(chunk) {
      if (over) return []
      let text = chunk
      if (!inMessage) {
        head += chunk
        const found = /"message"\s*:\s*"/.exec(head)
        if (!found) return []
        inMessage = true
        text = head.slice(found.index + found[0].length)
      }
      const end = /(?<!\\)"/.exec(text)
      if (end) over = true
      const raw = end ? text.slice(0, end.index) : text
      const delta = raw
        .replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replace(/\\n/g, "\n")
        .replace(/\\(["\\/])/g, "$1")
      shown += delta
      return delta === "" ? [] : [{ type: "message-delta", delta }]
    },
    end: () => [{ type: "decision", decision: { action: "finish", message: shown, status: "complete" } }],
  }
}

/** Parses everything so far again at each chunk and shows what is new of the message. */
export function readerThatParsesAgain(): Reader<string, DecisionEvent> {
  let text = ""
  let shown = ""
  const messageNow = () => {
    const found = /"message"\s*:\s*"((?:[^"\\]|\\.)*)/s.exec(text)
    if (!found) return ""
    try {
      return JSON.parse(`"${found[1] ?? ""}"`) as string
    } catch {
      return found[1] ?? ""
    }
  }
  return {
    push(chunk) {
      text += chunk
      const delta = messageNow().slice(shown.length)
      shown += delta
      return delta === "" ? [] : [{ type: "message-delta", delta }]
    },
    end: () => [{ type: "decision", decision: decisionIn(text) }],
  }
}

/** Waits for the end, then takes everything from the first brace to the last. */
export function readerThatWaits(): Reader<string, DecisionEvent> {
  let text = ""
  return {
    push(chunk) {
      text += chunk
      return []
    },
    end() {
      const decision = decisionIn(text)
      const message = decision.action === "finish" ? (decision.message ?? "") : ""
      return [...(message === "" ? [] : [{ type: "message-delta" as const, delta: message }]), { type: "decision", decision }]
    },
  }
}

function decisionIn(text: string): Decision {
  try {
    return { status: "complete", ...JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)) } as Decision
  } catch {
    return { action: "finish", message: text, status: "plain-text" }
  }
}
