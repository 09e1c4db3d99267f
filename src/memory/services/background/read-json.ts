import { parsedJson } from "../../../core/json-access.ts"
import type { JsonValue } from "../../../reply/json/json-value.ts"
import { createJsonRepair } from "../../../reply/json/repair-json.ts"
import { stripThinking } from "../../../reply/thinking.ts"

/** A longer answer is read up to here. */
const maxCharacters = 32_768

/** Reads the JSON object or list in a model's answer (T32). It skips text around it and repairs broken JSON; undefined if there is none. */
export function readJson(output: string): JsonValue | undefined {
  return jsonIn(stripThinking(output).slice(0, maxCharacters))
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
  const value = createJsonRepair({ steps: 0 })(`{"value":${text}}`, { from: 0 })?.value
  return typeof value === "object" && value !== null && "value" in value ? value.value : undefined
}
