import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fileHeader } from "../../../../src/memory/services/attachments/file-header.ts"
import { png } from "../../../support/pictures.ts"
import { runs } from "../../../support/size.ts"

const text = (words: string): number[] => [...words].map((letter) => letter.charCodeAt(0))
const made = (...parts: readonly (readonly number[])[]): Uint8Array => new Uint8Array(parts.flat())
const rest = new Array<number>(16).fill(0)

/** Behind a thumbnail in an APP1 segment, a filling byte and a table, as cameras write it. */
const jpeg = made(
  [0xff, 0xd8],
  [0xff, 0xe1, 0, 8, 0xff, 0xc0, 0, 9, 9, 9],
  [0xff, 0xff, 0xc4, 0, 4, 1, 2],
  [0xff, 0xc2, 0, 17, 8, 0x03, 0x00, 0x04, 0x00],
  rest,
)

const known: readonly (readonly [string, Uint8Array, object])[] = [
  ["PNG", png(640, 480), { mediaType: "image/png", width: 640, height: 480 }],
  ["GIF", made(text("GIF89a"), [0x40, 1, 0xf0, 0], rest), { mediaType: "image/gif", width: 320, height: 240 }],
  ["JPEG", jpeg, { mediaType: "image/jpeg", width: 1024, height: 768 }],
  [
    "lossy WebP",
    made(text("RIFF"), [0, 0, 0, 0], text("WEBPVP8 "), [0, 0, 0, 0], [0, 0, 0, 0x9d, 1, 0x2a], [0x80, 2, 0xe0, 1], rest),
    { mediaType: "image/webp", width: 640, height: 480 },
  ],
  [
    "lossless WebP",
    made(text("RIFF"), [0, 0, 0, 0], text("WEBPVP8L"), [0, 0, 0, 0, 0x2f], [0x7f, 0xc2, 0x77, 0], rest),
    { mediaType: "image/webp", width: 640, height: 480 },
  ],
  [
    "extended WebP",
    made(text("RIFF"), [0, 0, 0, 0], text("WEBPVP8X"), [10, 0, 0, 0, 0, 0, 0, 0], [0x7f, 2, 0, 0xdf, 1, 0], rest),
    { mediaType: "image/webp", width: 640, height: 480 },
  ],
  ["WAV", made(text("RIFF"), [0, 0, 0, 0], text("WAVEfmt ")), { mediaType: "audio/wav" }],
  ["MP3 with a tag", made(text("ID3"), rest), { mediaType: "audio/mpeg" }],
  ["MP3 without", made([0xff, 0xfb, 0x90], rest), { mediaType: "audio/mpeg" }],
  ["PDF", made(text("%PDF-1.7")), { mediaType: "application/pdf" }],
]

describe("a file's first bytes", () => {
  test.each(known)("tell the kind and the size: %s", (_, bytes, header) => {
    expect(fileHeader(bytes)).toEqual(header)
  })

  test("tell nothing of a text", () => {
    expect(fileHeader(made(text("hello, PNG")))).toBeUndefined()
    expect(fileHeader(new Uint8Array())).toBeUndefined()
  })

  test("never throw, wherever they are cut or damaged, and give no size of nothing", () => {
    const damaged = fc
      .tuple(fc.constantFrom(...known.map(([, bytes]) => bytes)), fc.nat(60), fc.nat(60), fc.nat(255))
      .map(([bytes, end, at, value]) => bytes.slice(0, end).map((byte, index) => (index === at ? value : byte)))
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 60 })), (bytes) => {
        const { width = 1, height = 1 } = fileHeader(bytes) ?? {}
        expect(width * height).toBeGreaterThan(0)
      }),
      { numRuns: runs(300) },
    )
  })
})
