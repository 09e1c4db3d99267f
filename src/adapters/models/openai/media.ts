import type { OpenAI } from "openai"
import type { ModelPart } from "../../../core/model/language-model.ts"
import type { MessagePart } from "../../../core/span.ts"
import { bytesFromText, bytesToText } from "../../../memory/services/store/blob.ts"
import { piecesOf } from "../message-pieces.ts"

export { withResultParts } from "../message-pieces.ts"

type ContentPart = OpenAI.Chat.Completions.ChatCompletionContentPart

/** A user's content with its parts where they stand. */
export function userContent(content: string, parts: readonly MessagePart[]): ContentPart[] {
  return piecesOf(content, parts).flatMap((piece) => ("text" in piece ? [{ type: "text", text: piece.text }] : wirePart(piece)))
}

/** Nothing for a part without bytes that the API can only take as bytes. */
function wirePart({ attachment, bytes }: MessagePart): ContentPart[] {
  const { name, mediaType = "", url } = attachment
  const data = bytes && bytesToText(bytes)
  if (mediaType.startsWith("image/")) {
    const address = data === undefined ? url : `data:${mediaType};base64,${data}`
    return address === undefined ? [] : [{ type: "image_url", image_url: { url: address } }]
  }
  if (data === undefined) return []
  if (mediaType === "audio/wav" || mediaType === "audio/mpeg")
    return [{ type: "input_audio", input_audio: { data, format: mediaType === "audio/wav" ? "wav" : "mp3" } }]
  return [{ type: "file", file: { filename: name.toWellFormed(), file_data: `data:${mediaType};base64,${data}` } }]
}

/** The media types of the API's names for recordings. */
const speechTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  flac: "audio/flac",
  aac: "audio/aac",
}

/** The recording of what a model said aloud, of the pieces in which it came. */
export function recordingOf(pieces: readonly string[], format = "wav"): ModelPart {
  const mediaType = speechTypes[format] ?? "audio/wav"
  try {
    // A server cuts one text of base64 anywhere, or encodes each piece by itself: then padding ends each of them.
    const texts = pieces.join("").match(/[^=]+=*|=+/gu) ?? []
    const bytes = joined(texts.map((text) => bytesFromText(text)))
    return { type: "file", mediaType, base64: bytesToText(format === "pcm16" ? withWavHeader(bytes) : bytes) }
  } catch {
    return { type: "warning", message: "The model's recording is not base64, so it was left out." }
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** A stream has samples alone: 24,000 a second, one channel of 16 bits. */
const samplesPerSecond = 24_000
const headerBytes = 44

function withWavHeader(samples: Uint8Array): Uint8Array {
  const header = new DataView(new ArrayBuffer(headerBytes))
  const text = (at: number, name: string) => {
    for (const [index, letter] of [...name].entries()) header.setUint8(at + index, letter.charCodeAt(0))
  }
  text(0, "RIFF")
  header.setUint32(4, headerBytes - 8 + samples.length, true)
  text(8, "WAVEfmt ")
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, samplesPerSecond, true)
  header.setUint32(28, samplesPerSecond * 2, true)
  header.setUint16(32, 2, true)
  header.setUint16(34, 16, true)
  text(36, "data")
  header.setUint32(40, samples.length, true)
  return joined([new Uint8Array(header.buffer), samples])
}
