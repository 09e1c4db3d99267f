import { PromptStrataError } from "../core/errors.ts"
import { hasLineBreak, mapLines } from "./line-breaks.ts"

/** The text with `prefix` before each of its lines, whatever breaks them; empty lines too. Inverse: {@link decodeIndent}. */
export function encodeIndent(text: string, prefix = "  "): string {
  if (hasLineBreak(prefix)) {
    throw new PromptStrataError("encoding", `Expected a prefix without line breaks, found ${JSON.stringify(prefix)}.`)
  }
  return mapLines(text, (line) => prefix + line)
}

/** What {@link encodeIndent} was given, for the same prefix; a line without the prefix is left as it is. */
export function decodeIndent(encoded: string, prefix = "  "): string {
  return mapLines(encoded, (line) => (line.startsWith(prefix) ? line.slice(prefix.length) : line))
}
