import { PromptStrataError } from "../../core/errors.ts"
import type { EncoderName } from "../template/ast.ts"
import { withoutUnseen } from "./fold.ts"
import { encodeInline, encodeJsonLine, isOneLine } from "./inline.ts"
import { hasLineBreak, mapLines } from "./line-breaks.ts"
import { encodeLines, encodeSigns, type Markers } from "./lines.ts"
import { breakTokens } from "./sanitise.ts"
import { encodeSpeaker, encodeTranscript } from "./transcript.ts"

type Encode = (text: string, markers: Markers) => string

const encoders: Readonly<Record<EncoderName, Encode>> = {
  lines: encodeLines,
  inline: encodeInline,
  tail: encodeTail,
  fence: (text, { signs }) => encodeFence(signs ? encodeSigns(text) : text),
  // A reader who trims lines does not see indentation, so indented text goes through `lines` first.
  indent: (text, markers) => encodeIndent(encodeLines(text, markers)),
  transcript: encodeTranscript,
  speaker: encodeSpeaker,
}

/**
 * Encodes a text that goes to the end of its line, where any punctuation may stand: the text as it is, or a JSON string if it would
 * break the line, hide something, close a block, or pass for a JSON string.
 */
function encodeTail(text: string, markers: Markers): string {
  const isBare = isOneLine(text) && encodeLines(`- ${text}`, markers).length === text.length + 2
  return isBare ? text : encodeJsonLine(text)
}

/** Encodes untrusted text with the encoder that a prompt file names. The text can be read back, for every string. */
export function encodeText(text: string, encoder: EncoderName, markers: Markers): string {
  const encoded = encoders[encoder](text, markers)
  // Inside quotes the tokens are broken already, by JSON's own escapes.
  return markers.tokens && !isQuoting(encoder) ? breakTokens(encoded) : encoded
}

/** True for encoders that write one line: the text as it is, or a JSON string of it. */
export function isQuoting(encoder: EncoderName | undefined): boolean {
  return encoder === "inline" || encoder === "tail"
}

/** A backtick, and the characters that look like one: `｀` and the Greek varia. */
const backtick = /[`\u{ff40}\u{1fef}]/u

/**
 * Puts the text between two fences of backticks. They are longer than any run of backticks in it, even when invisible
 * characters are dropped, so the text cannot close its fence. `info` follows the opening fence. Throws with code `encoding`
 * for an `info` with backticks or line breaks. The text can be read back (T6).
 */
export function encodeFence(text: string, info = ""): string {
  if (backtick.test(info) || hasLineBreak(info)) {
    const message = `Expected a fence's info on one line without backticks, found ${JSON.stringify(info)}.`
    throw new PromptStrataError("encoding", message)
  }
  const fence = fenceFor(text)
  return `${fence}${info}\n${text}\n${fence}`
}

/** The fence that {@link encodeFence} puts around a text. */
export function fenceFor(text: string): string {
  let length = 3
  if (backtick.test(text)) {
    for (const [run] of withoutUnseen(text).matchAll(/`+/g)) length = Math.max(length, run.length + 1)
  }
  return "`".repeat(length)
}

/**
 * Puts `prefix` before each line, empty lines too. Throws with code `encoding` for a prefix with line breaks.
 */
export function encodeIndent(text: string, prefix = "  "): string {
  if (hasLineBreak(prefix)) {
    throw new PromptStrataError("encoding", `Expected a prefix without line breaks, found ${JSON.stringify(prefix)}.`)
  }
  return mapLines(text, (line) => prefix + line)
}
