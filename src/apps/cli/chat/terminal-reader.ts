import type { Reader } from "../../../core/reader.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"

/** The end of a text that depends on the next character: the first half of `\r\n`, or an incomplete flag. */
const unsettled = /(?:\r|\u{1f3f4}[\u{e0000}-\u{e007f}]{0,6})$/u

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
