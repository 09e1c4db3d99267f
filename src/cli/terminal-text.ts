import type { Reader } from "../core/reader.ts"
import { sanitise } from "../encode/sanitise.ts"

/** The end of a text that depends on the next character: the first half of `\r\n`, or an incomplete flag. */
const unsettled = /(?:\r|\u{1f3f4}[\u{e0000}-\u{e007f}]{0,6})$/u

/**
 * Makes a text safe for a terminal: removes control and invisible characters, and makes every line break `\n`. All text of
 * models and tools must pass through here before it is printed.
 */
export function terminalText(text: string): string {
  // Line breaks come first: removing a character between `\r` and `\n` would make one line break of two.
  return sanitise(text.replace(/\r\n?|[\v\f\u{85}\u{2028}\u{2029}]/gu, "\n")).text
}

/** {@link terminalText} for a stream of whole characters. */
export function createTerminalReader(): Reader<string, string> {
  let held = ""
  const settle = (text: string) => (text === "" ? [] : [terminalText(text)].filter((part) => part !== ""))
  return {
    push(chunk) {
      const text = held + chunk
      held = unsettled.exec(text)?.[0] ?? ""
      return settle(text.slice(0, text.length - held.length))
    },
    end() {
      const rest = held
      held = ""
      return settle(rest)
    },
  }
}

/** The text on one line of at most `maxCharacters`, with `⏎` for line breaks. */
export function oneLine(text: string, maxCharacters = 200): string {
  const line = terminalText(text.slice(0, 4 * maxCharacters))
    .trim()
    .replaceAll("\n", " ⏎ ")
    .replaceAll("\t", " ")
  const characters = [...line]
  return characters.length > maxCharacters || text.length > 4 * maxCharacters
    ? `${characters.slice(0, maxCharacters).join("")}…`
    : line
}
