import { mayBeEscaped, readEscapedObject } from "./escaped-object.ts"
import { type LooseObjectReading, type LooseStart, readLooseObject } from "./loose-reader.ts"
import type { StepCount } from "./step-count.ts"

/** What one output may have repaired: no decision is that long and that broken. */
export const maxRepairCharacters = 32_768

/** Reads the object that begins somewhere in a text, whatever is wrong with it; `undefined` for what is beyond repair. */
export type JsonRepair = (text: string, start: LooseStart) => LooseObjectReading | undefined

/** Repairs JSON (T21) within {@link maxRepairCharacters} altogether. */
export function createJsonRepair(count: StepCount): JsonRepair {
  let remaining = maxRepairCharacters
  return (text, start) => {
    const isWhole = text.length - start.from <= remaining
    const window = isWhole ? text : text.slice(0, start.from + remaining)
    const escaped = mayBeEscaped(window, start) ? readEscapedObject(window, start, count) : undefined
    const reading = escaped && !("brokenAt" in escaped) ? escaped : readLooseObject(window, start, count)
    const end = "brokenAt" in reading ? reading.brokenAt : reading.end
    remaining = Math.max(0, remaining - (end - start.from))
    return "brokenAt" in reading || (end === window.length && !isWhole) ? undefined : reading
  }
}
