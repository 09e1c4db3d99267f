import { checkType } from "../../../core/check-options.ts"
import { isTexts, parsedJson } from "../../../core/json-access.ts"
import { encodeJsonLine } from "../../../prompt/encode/inline.ts"
import { formatReferenceSource, parseReferenceSource, type ReferenceSource } from "./reference-source.ts"

/** A piece of information with its sources (R23): plain JSON. */
export interface ReferenceInfo {
  readonly source: readonly ReferenceSource[]
  /** The information itself; it can be compressed. */
  readonly current: string
  /** Free for the model to write; empty at first. */
  readonly extraData: string
}

const head = "reference_info: {source: "
const currentName = ", current: "
const extraName = ", extra_data: "

/** Prints reference info on one line. Its values are JSON, so that no text in them looks like the end of the line's fields (R23). */
export function formatReferenceInfo(reference: ReferenceInfo): string {
  checkReferenceInfo("formatReferenceInfo", reference)
  const { source, current, extraData } = reference
  const sources = encodeJsonLine(source.map(formatReferenceSource))
  return `${head}${sources}${currentName}${encodeJsonLine(current)}${extraName}${encodeJsonLine(extraData)}}`
}

/** Throws `usage` for what is no reference info. */
export function checkReferenceInfo(of: string, reference: ReferenceInfo): void {
  checkType(`the source of the reference of ${of}`, reference?.source, "list")
  checkType(`the current of the reference of ${of}`, reference.current, "string")
}

/** The inverse of {@link formatReferenceInfo}; `undefined` for any other text. Unreadable sources become `unknown`. */
export function parseReferenceInfo(text: string): ReferenceInfo | undefined {
  checkType("the text of parseReferenceInfo", text, "string")
  if (!text.startsWith(head) || !text.endsWith("}")) return undefined
  const sourceEnd = valueEnd(text, head.length)
  if (!text.startsWith(currentName, sourceEnd)) return undefined
  const currentStart = sourceEnd + currentName.length
  const currentEnd = valueEnd(text, currentStart)
  if (!text.startsWith(extraName, currentEnd)) return undefined
  const sources = parsedJson(text.slice(head.length, sourceEnd))
  const current = parsedJson(text.slice(currentStart, currentEnd))
  const extraData = parsedJson(text.slice(currentEnd + extraName.length, -1))
  if (!isTexts(sources) || typeof current !== "string" || typeof extraData !== "string") return undefined
  return { source: sources.map((line) => parseReferenceSource(line) ?? { kind: "unknown" }), current, extraData }
}

/** The end of the JSON text or list that begins at `start`: the first comma outside of texts and lists. */
function valueEnd(text: string, start: number): number {
  let [inText, depth] = [false, 0]
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (inText && char === "\\") at++
    else if (char === '"') inText = !inText
    else if (!inText && char === "[") depth++
    else if (!inText && char === "]") depth--
    else if (!inText && char === "," && depth === 0) return at
  }
  return text.length
}
