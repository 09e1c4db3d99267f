import { graphemeBoundaryBefore, offsetAfter } from "../../core/graphemes.ts"
import { sanitise } from "./sanitise.ts"

/**
 * Makes a text safe for a terminal: removes control and invisible characters, and makes every line break `\n`. All text of
 * models and tools must pass through here before it is printed.
 */
export function terminalText(text: string): string {
  // Line breaks come first: removing a character between `\r` and `\n` would make one line break of two.
  return sanitise(text.replace(/\r\n?|[\v\f\u{85}\u{2028}\u{2029}]/gu, "\n")).text
}

/** The text on one line of at most `maxCharacters`, with `⏎` for line breaks. It is cut between graphemes, with `…` in place of the rest. */
export function terminalLine(text: string, maxCharacters = 200): string {
  const head = text.slice(0, graphemeBoundaryBefore(text, offsetAfter(text, maxCharacters)))
  const line = terminalText(head).replaceAll("\n", " ⏎ ").replaceAll("\t", " ")
  return head.length < text.length ? `${line}…` : line
}
