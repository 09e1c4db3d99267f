import type { JsonValue } from "../../reply/json/json-value.ts"
import { createJsonRepair } from "../../reply/json/repair-json.ts"
import { stripThinking } from "../../reply/thinking.ts"

/** No background answer is that long. */
const maxCharacters = 32_768

/** The JSON object or list in what a model said, whatever stands around it and what a repair can mend (T32); undefined for none. */
export function readJson(output: string): JsonValue | undefined {
  const text = stripThinking(output).slice(0, maxCharacters)
  const starts = [text.indexOf("{"), text.indexOf("[")].filter((at) => at >= 0).sort((a, b) => a - b)
  for (const start of starts) {
    const end = text.lastIndexOf(text.charAt(start) === "{" ? "}" : "]")
    const part = end > start ? text.slice(start, end + 1) : text.slice(start)
    const value = parsed(part) ?? repaired(part)
    if (value !== undefined) return value
  }
  return undefined
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** The repair reads objects, so a list is put into one. */
function repaired(text: string): JsonValue | undefined {
  const reading = createJsonRepair({ steps: 0 })(`{"value":${text}}`, { from: 0 })
  const value = reading?.value
  return typeof value === "object" && value !== null && "value" in value ? value.value : undefined
}
