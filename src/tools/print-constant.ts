import { encodeJsonLine } from "../encode/inline.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import type { TypePrinter } from "./printed-type.ts"

/**
 * A value that a schema names: a word stands as it is, all else as JSON on one line. A string that would read as something
 * else, such as `"1"` or `"a|b"`, is quoted.
 */
export function printConstant(value: unknown, { encode }: Pick<TypePrinter, "encode">): string {
  if (typeof value !== "string") return encodeConstant(value)
  const encoded = encode(value)
  return encoded === value && isMistakable(value) ? encodeConstant(value) : encoded
}

const jsonWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

function isMistakable(text: string): boolean {
  return text.trim() !== text || text === "" || jsonWord.test(text) || text.includes("|") || hasLineBreak(text)
}

function encodeConstant(value: unknown): string {
  try {
    return encodeJsonLine(value)
  } catch {
    return "any"
  }
}
