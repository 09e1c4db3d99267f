import { encodeInline, encodeJsonLine } from "../encode/inline.ts"
import { printJson } from "./print-json.ts"

/**
 * Prints a call's arguments on one line, `k=v, k2=v2` (T10), or `""` for none. Keys and strings stand bare when they are
 * plainly a word or phrase; everything else is JSON, so that the text can be read back. `undefined` values are left out. A
 * value that JSON cannot hold (a bigint, a cycle, thousands of levels) prints as a string of its JSON text. Never throws.
 */
export function printArguments(args: Readonly<Record<string, unknown>>): string {
  const printed: string[] = []
  for (const [key, value] of Object.entries(args)) {
    if (value !== undefined) printed.push(`${encodeInline(key)}=${printValue(value)}`)
  }
  return printed.join(", ")
}

function printValue(value: unknown): string {
  if (typeof value === "string") return encodeInline(value)
  try {
    return encodeJsonLine(value)
  } catch {
    return encodeInline(printJson(value))
  }
}

/**
 * Returns the identity of a call's arguments (T17): two calls of one tool with equal text are the same call. Keys are
 * sorted at every depth, an `undefined` property counts as absent, and `-0` as `0`. Only own keys count, also `__proto__`.
 */
export function canonicalArguments(args: unknown): string {
  return printJson(args, { canonical: true })
}
