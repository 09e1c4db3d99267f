import { messageOf, PromptStrataError } from "../core/errors.ts"

/** Valid in JSON, but unsafe for a terminal or a reader of lines: DEL, C1 controls, other line breaks, bidi controls, tags. */
const unfit = /[\u{7f}-\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]/gu

/** Plain data as one line of JSON that is safe to print. An error becomes its code, message and evidence. */
export function jsonLine(data: unknown): string {
  const text = JSON.stringify(data, (_, value: unknown) => (value instanceof Error ? errorJson(value) : value))
  return text.replace(unfit, escaped)
}

/** An error as data. An error that is not the library's own gets the code `internal`. */
function errorJson(thrown: unknown): Readonly<Record<string, unknown>> {
  if (!PromptStrataError.isInstance(thrown)) return { code: "internal", message: messageOf(thrown) }
  const { code, message, source, frame, hint, evidence } = thrown
  return { code, message, ...(source ? { source } : {}), ...(frame ? { frame } : {}), ...(hint ? { hint } : {}), evidence }
}

function escaped(character: string): string {
  return [...Array(character.length).keys()].map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
}
