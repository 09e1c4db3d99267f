import { listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import type { ModelPart } from "../../../core/model/language-model.ts"
import { bytesFromText, bytesToText } from "../../../memory/services/store/blob.ts"
import { linkedFile } from "../answer-parts.ts"
import words from "../server-words.json" with { type: "json" }

/**
 * Makes a reader of the pictures of one answer: those of `images` (OpenRouter, LiteLLM and other gateways), and parts `image_url` of the
 * content. Some servers send a picture again with the last chunk: it counts once.
 */
export function createPictureReader() {
  const known = new Set<string>()
  return {
    push({ images, content }: Readonly<Record<string, unknown>>): ModelPart[] {
      const parts: ModelPart[] = []
      for (const picture of [...listOf(images), ...listOf(content)]) {
        const { image_url: given } = recordOf(picture)
        const url = typeof given === "string" ? given : stringOf(recordOf(given).url)
        if (url === "" || known.has(url)) continue
        known.add(url)
        const [head, mediaType = ""] = /^data:([^;,]*)[^,]*;base64,/i.exec(url.slice(0, 200)) ?? []
        parts.push(head === undefined ? linkedFile(url) : { type: "file", mediaType, base64: url.slice(head.length) })
      }
      return parts
    },
  }
}

/** The media types of the API's names for recordings. */
const speechTypes: Readonly<Record<string, string>> = words.speechTypes

/** Makes a reader of what a model says aloud. `push` returns its words; `end` the recording, which comes in pieces. */
export function createSpeechReader(format = "wav") {
  const pieces: string[] = []
  return {
    push(audio: unknown): string {
      const { data, transcript } = recordOf(audio)
      if (stringOf(data) !== "") pieces.push(stringOf(data))
      return stringOf(transcript)
    },
    end(): ModelPart[] {
      if (pieces.length === 0) return []
      const mediaType = speechTypes[format] ?? "audio/wav"
      try {
        // A server cuts one text of base64 anywhere, or encodes each piece by itself: then padding ends each of them.
        const texts = pieces.join("").match(/[^=]+=*|=+/gu) ?? []
        const bytes = joined(texts.map((text) => bytesFromText(text)))
        return [{ type: "file", mediaType, base64: bytesToText(format === "pcm16" ? withWavHeader(bytes) : bytes) }]
      } catch {
        return [{ type: "warning", message: "The model's recording is not base64, so it was left out." }]
      }
    },
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
