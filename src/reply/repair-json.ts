import { jsonrepair } from "jsonrepair"
import { type JsonValue, parseJson, type tooDeep } from "./json-value.ts"
import type { StepCount } from "./step-count.ts"

/** What one output may have repaired: the repair looks at some texts more than once, and no decision is that long and that broken. */
export const maxRepairCharacters = 32_768

/** Repairs JSON (T21) within {@link maxRepairCharacters} altogether; `undefined` for what is beyond repair. */
export function createJsonRepair(count: StepCount): (text: string) => JsonValue | typeof tooDeep | undefined {
  let remaining = maxRepairCharacters
  return (text) => {
    if (text.length > remaining) return undefined
    remaining -= text.length
    count.steps += text.length
    try {
      return parseJson(jsonrepair(text), count)
    } catch {
      // Beyond repair, or nested too deep for its recursive parser.
      return undefined
    }
  }
}
