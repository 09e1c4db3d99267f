import { inflateSync } from "node:zlib"
import type { PngChunk } from "./png-chunks.ts"

/** A picture as red, green, blue and alpha bytes, row by row. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

/** A larger picture is not unpacked: its bytes would fill the memory of whoever only wants to look at it. */
const maxPixels = 8 * 1024 * 1024

/** The number of samples of a pixel, by the colour type. */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/**
 * The pixels of a PNG picture, or the reason why it has none that can be shown. Sizes are checked before anything is unpacked, and no more
 * is unpacked than the sizes say.
 */
export function readPngPixels(chunks: readonly PngChunk[]): Pixels | string {
  const header = chunks.find(({ type }) => type === "IHDR")?.data
  if (header === undefined || header.length !== 13) return "its header is damaged"
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  const [depth = 0, colour = 0, , , interlace = 0] = header.subarray(8)
  const samples = samplesOf[colour]
  if (width === 0 || height === 0) return "it has no pixels"
  if (width * height > maxPixels) return `it is too large: ${width} × ${height}`
  if (samples === undefined || ![1, 2, 4, 8, 16].includes(depth) || (depth < 8 && samples > 1)) return "its colours are unknown"
  if (interlace !== 0) return "it is interlaced"
  const palette = chunks.find(({ type }) => type === "PLTE")?.data
  if (colour === 3 && (palette === undefined || depth > 8)) return "its palette is missing"
  const rowBytes = Math.ceil((width * samples * depth) / 8)
  const packed = Buffer.concat(chunks.flatMap(({ type, data }) => (type === "IDAT" ? [data] : [])))
  let rows: Uint8Array
  try {
    rows = inflateSync(packed, { maxOutputLength: height * (rowBytes + 1) })
  } catch {
    return "its data are damaged"
  }
  if (rows.length !== height * (rowBytes + 1)) return "its data are cut off"
  if (!unfilter(rows, { height, rowBytes, step: Math.max(1, (samples * depth) >> 3) })) return "its data are damaged"
  const alphas = chunks.find(({ type }) => type === "tRNS")?.data
  return { width, height, rgba: colours({ rows, width, height, rowBytes, depth, colour, samples, palette, alphas }) }
}

interface Rows {
  readonly height: number
  readonly rowBytes: number
  /** The bytes of a pixel, at least one. */
  readonly step: number
}

/** Takes back the filter of each row, in place. False for a filter that no PNG has. */
function unfilter(rows: Uint8Array, { height, rowBytes, step }: Rows): boolean {
  for (let row = 0; row < height; row++) {
    const start = row * (rowBytes + 1) + 1
    const above = start - rowBytes - 1
    const filter = rows[start - 1] ?? 0
    if (filter > 4) return false
    for (let at = 0; at < rowBytes; at++) {
      const left = at < step ? 0 : (rows[start + at - step] ?? 0)
      const up = row === 0 ? 0 : (rows[above + at] ?? 0)
      const corner = row === 0 || at < step ? 0 : (rows[above + at - step] ?? 0)
      let guess = 0
      if (filter === 1) guess = left
      else if (filter === 2) guess = up
      else if (filter === 3) guess = (left + up) >> 1
      else if (filter === 4) guess = paeth(left, up, corner)
      rows[start + at] = (rows[start + at] ?? 0) + guess
    }
  }
  return true
}

/** The neighbour that is nearest to left + up - corner. */
function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

interface Samples extends Pick<Rows, "height" | "rowBytes"> {
  readonly rows: Uint8Array
  readonly width: number
  readonly depth: number
  readonly colour: number
  readonly samples: number
  readonly palette: Uint8Array | undefined
  readonly alphas: Uint8Array | undefined
}

function colours({ rows, width, height, rowBytes, depth, colour, samples, palette, alphas }: Samples): Uint8Array {
  const rgba = new Uint8Array(width * height * 4)
  const most = 2 ** Math.min(8, depth) - 1
  const sample = (row: number, number: number): number => {
    const start = row * (rowBytes + 1) + 1
    // Of 16 bits the upper ones are shown.
    if (depth >= 8) return rows[start + number * (depth >> 3)] ?? 0
    const bit = number * depth
    return ((rows[start + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & most
  }
  for (let row = 0, to = 0; row < height; row++) {
    for (let x = 0; x < width; x++, to += 4) {
      const first = sample(row, x * samples)
      // Without colours red, green and blue are one sample.
      const step = colour === 2 || colour === 6 ? 1 : 0
      for (let part = 0; part < 3; part++)
        rgba[to + part] =
          colour === 3 ? (palette?.[first * 3 + part] ?? 0) : (sample(row, x * samples + part * step) * 255) / most
      rgba[to + 3] = colour === 3 ? (alphas?.[first] ?? 255) : colour > 3 ? sample(row, x * samples + samples - 1) : 255
    }
  }
  return rgba
}
