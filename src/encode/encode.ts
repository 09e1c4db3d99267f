import type { EncoderName } from "../template/ast.ts"
import { decodeFence, encodeFence } from "./fence.ts"
import { decodeIndent, encodeIndent } from "./indent.ts"
import { decodeInline, encodeInline } from "./inline.ts"
import { decodeLines, encodeLines } from "./lines.ts"
import type { Markers } from "./markers.ts"
import { decodeSpeaker, decodeTranscript, encodeSpeaker, encodeTranscript } from "./transcript.ts"

interface Encoder {
  readonly encode: (text: string, markers: Markers) => string
  readonly decode: (encoded: string, markers: Markers) => string
}

const encoders: Readonly<Record<EncoderName, Encoder>> = {
  lines: { encode: encodeLines, decode: decodeLines },
  inline: { encode: encodeInline, decode: decodeInline },
  fence: { encode: (text) => encodeFence(text), decode: decodeFence },
  // Indentation alone is lost on a reader who trims lines, so what is indented passes through `lines` first.
  indent: {
    encode: (text, markers) => encodeIndent(encodeLines(text, markers)),
    decode: (encoded, markers) => decodeLines(decodeIndent(encoded), markers),
  },
  transcript: { encode: encodeTranscript, decode: decodeTranscript },
  speaker: { encode: (name) => encodeSpeaker(name), decode: (encoded) => decodeSpeaker(encoded) },
}

/** Untrusted text through the encoder a prompt file names; {@link decodeText} undoes it for every string. */
export function encodeText(text: string, encoder: EncoderName, markers: Markers): string {
  return encoders[encoder].encode(text, markers)
}

/** What {@link encodeText} was given, for the same encoder and markers. */
export function decodeText(encoded: string, encoder: EncoderName, markers: Markers): string {
  return encoders[encoder].decode(encoded, markers)
}
