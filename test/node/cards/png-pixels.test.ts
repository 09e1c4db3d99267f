import { deflateSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { PngChunk } from "../../../src/node/cards/png-chunks.ts"
import { readPngPixels } from "../../../src/node/cards/png-pixels.ts"
import { runs, seedOf } from "../../support/size.ts"

interface Picture {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colour: number
  readonly interlace?: number
}

function header({ width, height, depth, colour, interlace = 0 }: Picture): PngChunk {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width)
  data.writeUInt32BE(height, 4)
  data.set([depth, colour, 0, 0, interlace], 8)
  return { type: "IHDR", data }
}

const packed = (bytes: Uint8Array): PngChunk => ({ type: "IDAT", data: deflateSync(bytes) })

/** Filters a row as an encoder does, written apart from the reader. */
function filtered(filter: number, row: Uint8Array, above: Uint8Array, step: number): Uint8Array {
  return row.map((value, at) => {
    const [a, b, c] = [at < step ? 0 : row[at - step], above[at], at < step ? 0 : above[at - step]].map((byte) => byte ?? 0)
    const [left = 0, up = 0, corner = 0] = [a, b, c]
    const guess = left + up - corner
    const nearest = [left, up, corner].toSorted((x, y) => Math.abs(guess - x) - Math.abs(guess - y))[0] ?? 0
    return value - ([0, left, up, Math.floor((left + up) / 2), nearest][filter] ?? 0)
  })
}

function chunksOf(picture: Picture, bytes: (at: number) => number, filters: readonly number[]): PngChunk[] {
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[picture.colour] ?? 1
  const rowBytes = Math.ceil((picture.width * samples * picture.depth) / 8)
  const step = Math.max(1, (samples * picture.depth) >> 3)
  let above = new Uint8Array(rowBytes)
  const rows = Array.from({ length: picture.height }, (_, row) => {
    const raw = Uint8Array.from({ length: rowBytes }, (_, at) => bytes(row * rowBytes + at))
    const filter = filters[row % filters.length] ?? 0
    const line = filtered(filter, raw, above, step)
    above = raw
    return Buffer.concat([Uint8Array.of(filter), line])
  })
  const palette = { type: "PLTE", data: Uint8Array.from({ length: 768 }, (_, at) => at % 251) }
  return [header(picture), palette, { type: "tRNS", data: Uint8Array.of(0, 128) }, packed(Buffer.concat(rows))]
}

describe("the pixels of a PNG", () => {
  test("come back whatever the filters of its rows are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.uint8Array({ minLength: 9 * 9 * 4, maxLength: 9 * 9 * 4 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 9 }),
        (width, height, bytes, filters) => {
          const pixels = readPngPixels(chunksOf({ width, height, depth: 8, colour: 6 }, (at) => bytes[at] ?? 0, filters))
          expect(pixels).toEqual({ width, height, rgba: bytes.slice(0, width * height * 4) })
        },
      ),
      { numRuns: runs(1_000), seed: seedOf(60) },
    )
  })

  test.each([
    ["grey", 0, 8, [7, 200], [7, 7, 7, 255, 200, 200, 200, 255]],
    ["grey of one bit", 0, 1, [0b10000000], [255, 255, 255, 255, 0, 0, 0, 255]],
    ["grey of sixteen bits", 0, 16, [7, 1, 200, 2], [7, 7, 7, 255, 200, 200, 200, 255]],
    ["grey with alpha", 4, 8, [7, 9, 8, 10], [7, 7, 7, 9, 8, 8, 8, 10]],
    ["colours", 2, 8, [1, 2, 3, 4, 5, 6], [1, 2, 3, 255, 4, 5, 6, 255]],
    ["a palette", 3, 8, [1, 2], [3, 4, 5, 128, 6, 7, 8, 255]],
    ["a palette of four bits", 3, 4, [0x01], [0, 1, 2, 0, 3, 4, 5, 128]],
  ])("are read in %s", (_, colour, depth, bytes, rgba) => {
    const pixels = readPngPixels(chunksOf({ width: 2, height: 1, depth, colour }, (at) => bytes[at] ?? 0, [0]))
    expect(pixels).toEqual({ width: 2, height: 1, rgba: Uint8Array.from(rgba) })
  })

  const small: Picture = { width: 2, height: 2, depth: 8, colour: 6 }
  test.each([
    [
      "says that it is huge",
      [header({ ...small, width: 60_000, height: 60_000 }), packed(new Uint8Array(9))],
      "it is too large: 60000 × 60000",
    ],
    ["unpacks to more than it says", [header(small), packed(new Uint8Array(1_000_000))], "its data are damaged"],
    ["is cut off", [header(small), packed(new Uint8Array(9))], "its data are cut off"],
    ["is no deflate", [header(small), { type: "IDAT", data: Uint8Array.of(1, 2, 3) }], "its data are damaged"],
    ["has an unknown filter", [header(small), packed(Uint8Array.from({ length: 18 }, () => 9))], "its data are damaged"],
    ["is interlaced", [header({ ...small, interlace: 1 }), packed(new Uint8Array(18))], "it is interlaced"],
    ["has no palette", [header({ ...small, colour: 3 }), packed(new Uint8Array(6))], "its palette is missing"],
    ["has unknown colours", [header({ ...small, colour: 5 })], "its colours are unknown"],
    ["has odd depths", [header({ ...small, depth: 4 })], "its colours are unknown"],
    ["has no pixels", [header({ ...small, width: 0 })], "it has no pixels"],
    ["has no header", [], "its header is damaged"],
  ])("are refused with words for a picture that %s", (_, chunks, reason) => {
    expect(readPngPixels(chunks)).toBe(reason)
  })
})
