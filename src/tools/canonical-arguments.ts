import { printJson } from "./print-json.ts"

/**
 * The identity of a call's arguments (T17): two calls of one tool with equal text are the same call. Keys are sorted at
 * every depth, absent and `undefined` properties are alike, `-0` is `0`; own keys only, `__proto__` among them.
 */
export function canonicalArguments(args: unknown): string {
  return printJson(args, { canonical: true })
}
