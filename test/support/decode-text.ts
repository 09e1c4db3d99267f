import { PromptStrataError } from "../../src/core/errors.ts"
import { encodeText, isQuoting } from "../../src/prompt/encode/encode.ts"
import { mapLines } from "../../src/prompt/encode/line-breaks.ts"
import { decodeLines, type Markers, signMarkers } from "../../src/prompt/encode/lines.ts"
import { breakTokens } from "../../src/prompt/encode/sanitise.ts"
import { decodeSpeaker, decodeTranscript } from "../../src/prompt/encode/transcript.ts"
import type { EncoderName } from "../../src/prompt/template/ast.ts"

// The inverses of the encoders: every text that one wrote can be read back.

type Decode = (encoded: string, markers: Markers) => string

const decoders: Readonly<Record<EncoderName, Decode>> = {
  lines: decodeLines,
  inline: decodeInline,
  tail: decodeInline,
  fence: (encoded, { signs }) => (signs ? decodeSigns(decodeFence(encoded)) : decodeFence(encoded)),
  indent: (encoded, markers) => decodeLines(decodeIndent(encoded), markers),
  transcript: decodeTranscript,
  speaker: decodeSpeaker,
}

/** Decodes what {@link encodeText} returned, for the same encoder and markers. */
export function decodeText(encoded: string, encoder: EncoderName, markers: Markers): string {
  const isBroken = markers.tokens && !isQuoting(encoder)
  return decoders[encoder](isBroken ? joinTokens(encoded) : encoded, markers)
}

/** Decodes what {@link encodeFence} returned. Throws with code `encoding` for anything but one whole fenced text. */
export function decodeFence(encoded: string): string {
  let length = 0
  while (encoded.charCodeAt(length) === 0x60) length++
  const start = encoded.indexOf("\n") + 1
  const end = encoded.length - length - 1
  if (length < 3 || start === 0 || end < start || encoded.slice(end) !== `\n${"`".repeat(length)}`) {
    throw new PromptStrataError("encoding", `Expected a fenced text, found ${JSON.stringify(encoded.slice(0, 80))}.`, {
      hint: "Pass exactly what encodeFence returned.",
    })
  }
  return encoded.slice(start, end)
}

/** Decodes what {@link encodeIndent} returned, for the same prefix. A line without the prefix stays as it is. */
export function decodeIndent(encoded: string, prefix = "  "): string {
  return mapLines(encoded, (line) => (line.startsWith(prefix) ? line.slice(prefix.length) : line))
}

/** Decodes what {@link encodeInline} returned. Throws with code `encoding` for a quoted text that is not one JSON string. */
export function decodeInline(encoded: string): string {
  if (!encoded.startsWith('"')) return encoded
  try {
    return String(JSON.parse(encoded))
  } catch (cause) {
    throw new PromptStrataError(
      "encoding",
      `Expected a bare word or one JSON string, found ${JSON.stringify(encoded.slice(0, 80))}.`,
      {
        cause,
        hint: "Pass exactly what encodeInline returned.",
      },
    )
  }
}

/** Decodes what {@link encodeSigns} returned. */
export function decodeSigns(encoded: string): string {
  return decodeLines(encoded, signMarkers)
}

/** Decodes what `breakTokens` returned. */
export function joinTokens(encoded: string): string {
  return breakTokens(encoded, (start) => (start.endsWith("\\") ? start.slice(0, -1) : start))
}
