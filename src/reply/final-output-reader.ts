import { late } from "../core/late.ts"
import type { Reader } from "../core/reader.ts"
import { createPlainTextReader, type ReplyPart } from "./thinking.ts"

/** Reads a final output. */
export interface FinalOutputReader extends Reader<string, ReplyPart> {
  /**
   * Set where the text begins as JSON does and the code that reads it is not loaded yet. Text is kept until then: wait for this before
   * the next `push`, and after `end`, which is then called again.
   */
  readonly waits?: Promise<void> | undefined
}

/**
 * Reads a final output. Prose streams as it comes. Output of a model that goes on planning is read like that of a planner:
 * the message of a finish is shown, a tool call is not (T21). Other JSON is an answer and is shown when it has ended.
 */
export function createFinalOutputReader(options: Parameters<typeof createPlainTextReader>[0] = {}): FinalOutputReader {
  const plain = createPlainTextReader(options)
  let text: Reader<string, string> | undefined
  let opening = ""
  let begin: ReturnType<typeof beginning> = "blank"
  let isOver = false
  const read = (part: ReplyPart): ReplyPart[] => {
    if (part.type === "thinking") return [part]
    if (text) return text.push(part.delta).map(asText)
    opening += part.delta
    // There may be many blanks, and more of them decide nothing.
    if (begin === "blank" && part.delta.trim() === "") return []
    begin = beginning(opening)
    reader.waits = begin === "json" && !decisions ? loadDecisions() : undefined
    if (reader.waits || (begin !== "json" && begin !== "prose")) return []
    text = begin === "json" ? decisions?.createEmbeddedDecisionReader() : prose
    return text?.push(opening).map(asText) ?? []
  }
  // Text that waited is read before what comes now.
  const readAll = (parts: readonly ReplyPart[]) => (reader.waits ? [asText(""), ...parts] : parts).flatMap(read)
  // A member, not a getter: V8 keeps a getter of an object literal, with all that it closes over, until the next full collection.
  const reader: FinalOutputReader & { waits: Promise<void> | undefined } = {
    waits: undefined,
    push: (chunk) => (text === prose ? plain.push(chunk) : readAll(plain.push(chunk))),
    end() {
      const parts = readAll(isOver ? [] : plain.end())
      isOver = true
      return reader.waits ? parts : [...parts, ...(text ? text.end() : opening === "" ? [] : [opening]).map(asText)]
    },
  }
  return reader
}

let decisions: typeof import("./embedded-decision.ts") | undefined

/** Loads what reads JSON in a final output, which few need. */
export const loadDecisions = late(async () => {
  decisions = await import("./embedded-decision.ts")
})

const prose: Reader<string, string> = { push: (delta) => [delta], end: () => [] }

function asText(delta: string): ReplyPart {
  return { type: "text", delta }
}

/** Tells as soon as it can that a text begins with an object, bare or in a fence, or with prose. It is `blank` while only other words than blanks can tell. */
function beginning(text: string): "json" | "prose" | "unknown" | "blank" {
  const start = text.trimStart()
  if (start === "") return "blank"
  if (start.startsWith("{")) return "json"
  if (!start.startsWith("`")) return "prose"
  const lineEnd = start.indexOf("\n")
  if (lineEnd < 0) return start.length > maxFenceLine || !"```".startsWith(start.slice(0, 3)) ? "prose" : "unknown"
  if (!/^```[ \t]*(json)?[ \t]*$/i.test(start.slice(0, lineEnd).trimEnd())) return "prose"
  const inside = start.slice(lineEnd).trimStart()
  return inside === "" ? "blank" : inside.startsWith("{") ? "json" : "prose"
}

const maxFenceLine = 16
