import { crc32, inflateSync } from "node:zlib"
import { shownValue } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"

/** A chunk of a PNG file, as it stands in the file. */
export interface PngChunk {
  readonly type: string
  readonly data: Uint8Array
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/** True for bytes that begin as a PNG file does. */
export function isPng(bytes: Uint8Array): boolean {
  return signature.every((byte, at) => bytes[at] === byte)
}

type OnBroken = (harm: "cut off" | "damaged", error: PromptStrataError) => void

/**
 * Splits a PNG file into its chunks. Throws `file` where it was cut off and where a chunk of text does not have its checksum: a damaged
 * card would be read as another one. Damage to the picture is nothing to a card: with `onBroken`, it is told there, and the chunks of a
 * picture that is cut off end where it was cut.
 */
export function readPngChunks(bytes: Uint8Array, onBroken?: OnBroken): readonly PngChunk[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks: PngChunk[] = []
  const broken = (what: string, isText = false): readonly PngChunk[] => {
    const error = damaged(what)
    if (isText || onBroken === undefined) throw error
    onBroken("cut off", error)
    return [...chunks, { type: "IEND", data: new Uint8Array() }]
  }
  for (let at = signature.length; at < bytes.length; ) {
    if (at + 12 > bytes.length) return broken(`the file ends inside the chunk at byte ${at}`)
    const length = view.getUint32(at)
    const type = latin1(bytes.subarray(at + 4, at + 8))
    const isText = textTypes.has(type)
    if (at + 12 + length > bytes.length) return broken(`the file ends inside the chunk ${shownValue(type)} at byte ${at}`, isText)
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== view.getUint32(at + 8 + length)) {
      const error = damaged(`the chunk ${shownValue(type)} at byte ${at} does not have its checksum`)
      if (isText) throw error
      onBroken?.("damaged", error)
    }
    chunks.push({ type, data: bytes.subarray(at + 8, at + 8 + length) })
    if (type === "IEND") return chunks
    at += 12 + length
  }
  return broken("the file ends before its chunk IEND")
}

/** The whole chunks of text with these keywords in a picture of which some chunk has a wrong length, so that nothing behind it is found. */
export function lostTexts(bytes: Uint8Array, keywords: readonly string[]): readonly PngChunk[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return keywords.flatMap((keyword) => {
    const start = file.indexOf(`tEXt${keyword}\0`, signature.length + 4)
    const end = start < 0 ? file.length : start + 4 + file.readUInt32BE(start - 4)
    if (end + 4 > file.length || crc32(file.subarray(start, end)) !== file.readUInt32BE(end)) return []
    return [{ type: "tEXt", data: file.subarray(start + 4, end) }]
  })
}

const textTypes: ReadonlySet<string> = new Set(["tEXt", "zTXt", "iTXt"])

/** The keyword of a chunk of text, for which nothing is unpacked; undefined for another chunk. */
export function pngKeyword({ type, data }: PngChunk): string | undefined {
  const end = data.indexOf(0)
  return textTypes.has(type) && end >= 0 ? latin1(data.subarray(0, end)) : undefined
}

/** Reads a chunk of text; undefined for another chunk. Throws `file` for one that would unpack to more than `maxBytes`. */
export function readPngText({ type, data }: PngChunk, maxBytes: number): { keyword: string; text: string } | undefined {
  const end = data.indexOf(0)
  if (!textTypes.has(type) || end < 0) return undefined
  const keyword = latin1(data.subarray(0, end))
  if (type === "tEXt") return { keyword, text: latin1(data.subarray(end + 1)) }
  if (type === "zTXt") return { keyword, text: latin1(unpacked(data.subarray(end + 2), keyword, maxBytes)) }
  const language = data.indexOf(0, end + 3)
  const translated = language < 0 ? -1 : data.indexOf(0, language + 1)
  if (translated < 0) return undefined
  const text = data.subarray(translated + 1)
  return { keyword, text: new TextDecoder().decode(data[end + 1] === 1 ? unpacked(text, keyword, maxBytes) : text) }
}

function unpacked(data: Uint8Array, keyword: string, maxBytes: number): Uint8Array {
  try {
    return inflateSync(data, { maxOutputLength: maxBytes })
  } catch (cause) {
    const isLarge = cause instanceof RangeError
    throw damaged(
      isLarge
        ? `the chunk ${shownValue(keyword)} unpacks to more than ${maxBytes} bytes`
        : `the chunk ${shownValue(keyword)} cannot be unpacked`,
      cause,
    )
  }
}

/** The chunks of a picture without those of a card that it may have. */
export function chunksOfPicture(bytes: Uint8Array): readonly PngChunk[] {
  return readPngChunks(bytes).filter((chunk) => !/^(?:ccv3|chara)$/i.test(pngKeyword(chunk) ?? ""))
}

/** Writes a PNG file of chunks. */
export function writePngChunks(chunks: readonly PngChunk[]): Uint8Array {
  const parts = chunks.flatMap(({ type, data }) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data])
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    checksum.writeUInt32BE(crc32(body))
    return [length, body, checksum]
  })
  return Buffer.concat([signature, ...parts])
}

/** A `tEXt` chunk. The text must be ASCII, such as base64. */
export function pngTextChunk(keyword: string, text: string): PngChunk {
  return { type: "tEXt", data: Buffer.from(`${keyword}\0${text}`, "latin1") }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
}

function damaged(what: string, cause?: unknown): PromptStrataError {
  return new PromptStrataError("file", `expected a PNG file that is whole, but ${what}.`, {
    hint: "Load the card again from where it came from: a program that reduces pictures may have damaged it.",
    cause,
  })
}
