/** The facts that the first bytes of a file tell. */
export interface FileHeader {
  readonly mediaType: string
  /** The size of a picture in pixels. Absent for other files, and for a picture whose header is cut or damaged. */
  readonly width?: number
  readonly height?: number
}

/** Recognises PNG, JPEG, GIF and WebP with their sizes, and PDF, WAV, MP3 and Ogg. `undefined` for any other file. Never throws. */
export function fileHeader(bytes: Uint8Array): FileHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n"))
    return picture("image/png", bytes.length >= 24 && [view.getUint32(16), view.getUint32(20)])
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a"))
    return picture("image/gif", bytes.length >= 10 && [view.getUint16(6, true), view.getUint16(8, true)])
  if (startsWith(bytes, "\xff\xd8\xff")) return picture("image/jpeg", jpegSize(view))
  if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) return picture("image/webp", webpSize(bytes, view))
  if (startsWith(bytes, "RIFF") && startsWith(bytes, "WAVE", 8)) return { mediaType: "audio/wav" }
  if (startsWith(bytes, "OggS")) return { mediaType: "audio/ogg" }
  if (startsWith(bytes, "%PDF-")) return { mediaType: "application/pdf" }
  // An ID3 tag, or the first frame of an MPEG stream of layer III.
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2
  return startsWith(bytes, "ID3") || isFrame ? { mediaType: "audio/mpeg" } : undefined
}

function startsWith(bytes: Uint8Array, mark: string, from = 0): boolean {
  for (let at = 0; at < mark.length; at++) if (bytes[from + at] !== mark.charCodeAt(at)) return false
  return true
}

type Size = readonly [width: number, height: number]

/** A size of nothing means that the header is damaged. */
function picture(mediaType: string, size: Size | false): FileHeader {
  if (size === false || size[0] === 0 || size[1] === 0) return { mediaType }
  return { mediaType, width: size[0], height: size[1] }
}

/** Marks that are followed by a frame's size: SOF0 to SOF15 without the tables that have marks among them. */
function isFrameMark(mark: number): boolean {
  return mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc
}

/** Walks from segment to segment to the first frame: pictures of cameras have a thumbnail and other data before it. */
function jpegSize(view: DataView): Size | false {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return false
    const mark = view.getUint8(at + 1)
    // Filling bytes stand before a mark.
    if (mark === 0xff) {
      at++
      continue
    }
    if (isFrameMark(mark)) return [view.getUint16(at + 7), view.getUint16(at + 5)]
    // Marks without data of their own.
    const hasNoLength = mark === 0x01 || (mark >= 0xd0 && mark <= 0xd8)
    at += hasNoLength ? 2 : 2 + Math.max(2, view.getUint16(at + 2))
  }
  return false
}

function webpSize(bytes: Uint8Array, view: DataView): Size | false {
  if (bytes.length < 30) return false
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_00_00
  if (startsWith(bytes, "VP8X", 12)) return [1 + uint24(24), 1 + uint24(27)]
  if (startsWith(bytes, "VP8 ", 12)) return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff]
  if (!startsWith(bytes, "VP8L", 12)) return false
  const bits = view.getUint32(21, true)
  return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)]
}
