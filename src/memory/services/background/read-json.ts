import { isRecord, parsedJson } from "../../../core/json-access.ts"
import type { JsonValue } from "../../../reply/json/json-value.ts"
import { createJsonRepair } from "../../../reply/json/repair-json.ts"
import { stripThinking } from "../../../reply/thinking.ts"

/** A longer answer is read up to here. */
const maxCharacters = 32_768

/** Reads the JSON object or list in a model's answer (T32). It skips text around it and repairs broken JSON; undefined if there is none. */
export function readJson(output: string): JsonValue | undefined {
  return jsonIn(stripThinking(output).slice(0, maxCharacters))
}

/**
 * {@link readJson} of an answer that may end too early, because a model stopped at its limit. Of one that does, it is the part that is
 * whole: the members of the answer, and those of the objects and lists in it, before the one in which it ends.
 */
export function readAnswer(output: string): { readonly answer: JsonValue | undefined; readonly isCut: boolean } {
  const [answer, whole] = [readJson(output), wholePart(stripThinking(output).slice(0, maxCharacters))]
  const isCut = whole !== undefined && (!isRecord(answer) || Array.isArray(whole))
  return { answer: isCut ? whole : answer, isCut }
}

/** Strings, of which the last may have no end, and the characters that open, close and part objects and lists. */
const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\],]/gs

function wholePart(text: string): JsonValue | undefined {
  const json = text.slice(Math.max(0, text.search(/[{[]/)))
  const open: string[] = []
  let whole: string | undefined
  for (const { 0: token, index } of json.matchAll(tokens)) {
    const isClosing = token === open.at(-1)
    if (isClosing) open.pop()
    else if (token === "{" || token === "[") open.push(token === "{" ? "}" : "]")
    if (isClosing && open.length === 0) return undefined
    if ((isClosing || token === ",") && open.length > 0 && open.length <= 2)
      whole = json.slice(0, index + (isClosing ? 1 : 0)) + open.toReversed().join("")
  }
  return whole === undefined ? undefined : ((parsedJson(whole) as JsonValue | undefined) ?? repaired(whole))
}

/** The member of an answer under one of its names, which a model may translate; `names` has them in lower case, with `|` between. */
export function memberOf(answer: unknown, names: string): unknown {
  const known = names.split("|")
  const isNamed = (name: string): boolean => known.includes(name.normalize("NFKC").trim().toLowerCase())
  return isRecord(answer) ? Object.entries(answer).find(([name]) => isNamed(name))?.[1] : undefined
}

/** {@link readJson} of a text without thoughts, of any length. `kind` is looked for first; without it, whichever begins first. */
export function jsonIn(text: string, kind?: "object" | "array"): JsonValue | undefined {
  const starts = [text.indexOf("{"), text.indexOf("[")].filter((at) => at >= 0).sort((a, b) => a - b)
  if (kind !== undefined && text.charAt(starts[0] ?? 0) !== (kind === "object" ? "{" : "[")) starts.reverse()
  for (const start of starts) {
    const end = text.lastIndexOf(text.charAt(start) === "{" ? "}" : "]")
    const part = end > start ? text.slice(start, end + 1) : text.slice(start)
    const value = (parsedJson(part) as JsonValue | undefined) ?? repaired(part)
    if (value !== undefined) return value
  }
  return undefined
}

/** The repair reads objects only, so the text is put into one. */
function repaired(text: string): JsonValue | undefined {
  const value = createJsonRepair()(`{"value":${text}}`, { from: 0 })?.value
  return typeof value === "object" && value !== null && "value" in value ? value.value : undefined
}
