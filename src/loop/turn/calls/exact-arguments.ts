import { isRecord, maxDepth, parsedJson } from "../../../core/json-access.ts"
import type { ModelCall } from "../turn-progress.ts"

/** The arguments of a native call. `fault` is present if they could not be read. */
export type NativeArguments = Pick<ModelCall, "args" | "fault" | "repeatedName">

/** Arguments that are written as JSON.stringify writes them, as most are, so that nothing in them is to be understood. */
export function exactArguments(text: string): NativeArguments | undefined {
  // No text nests deeper than it has brackets. Half a surrogate pair is written as an escape, and read as U+FFFD.
  if ((text.match(/[[{]/g)?.length ?? 0) > maxDepth || text.includes("\\ud")) return undefined
  const args = parsedJson(text)
  return isRecord(args) && JSON.stringify(args) === text ? { args, repeatedName: undefined } : undefined
}
