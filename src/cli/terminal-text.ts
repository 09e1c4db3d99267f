import type { Reader } from "../core/reader.ts"
import { sanitise } from "../encode/sanitise.ts"

/** What a later character may still change: the first half of `\r\n`, a flag that is not whole yet. */
const unsettled = /(?:\r|\u{1f3f4}[\u{e0000}-\u{e007f}]{0,6})$/u

/**
 * A text that does nothing to a terminal but fill lines: what hides or acts is gone, every kind of line break is `\n`.
 * Everything a model or a tool said passes through here on its way to the screen.
 */
export function terminalText(text: string): string {
  // Line breaks first: what is taken out between two characters must not make one break of them.
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

/** A text on one line of at most `maxCharacters`, line breaks shown as `⏎`. */
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
