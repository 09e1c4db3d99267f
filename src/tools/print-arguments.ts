import { encodeInline, encodeJsonLine } from "../encode/inline.ts"
import { printJson } from "./print-json.ts"

/**
 * A call's arguments on one line, `k=v, k2=v2` (T10); `""` for none. Strings stand bare when plainly a word or phrase,
 * all else is JSON, keys likewise; `undefined` values are left out. {@link parseArguments} is the inverse for everything
 * JSON can hold; what it cannot hold (a bigint, a cycle, thousands of levels) prints as a string of its JSON text. Never throws.
 */
export function printArguments(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${encodeInline(key)}=${printValue(value)}`)
    .join(", ")
}

function printValue(value: unknown): string {
  if (typeof value === "string") return encodeInline(value)
  try {
    return encodeJsonLine(value)
  } catch {
    return encodeInline(printJson(value))
  }
}
