import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createPieceCache } from "../../../../src/adapters/tokenizers/tiktoken/encoder.ts"
import { writeUtf8 } from "../../../../src/adapters/tokenizers/tiktoken/text-merge.ts"
import { runs } from "../../../support/size.ts"
import { anyText, trickyTexts } from "./arbitrary-pieces.ts"
import { both, encodings, tokensOf } from "./encoders.ts"

/** Runs that are too long for the cache, and short enough for tiktoken, whose time is quadratic. */
const unbroken = ["a", "A", " ", "\n", "你", "我们", "😀", "!", "é", "ab", "7", "\u0301", "\r\n", " \n", "A你", "'s", "=-"].map(
  (unit) => unit.repeat(600),
)

/** Mixed letters, so that there are many merges of all ranks. */
const scrambled = Array.from({ length: 2000 }, (_, index) =>
  String.fromCharCode(97 + ((index * index * 31 + index * 7) % 26)),
).join("")

describe.each(encodings)("%s", (encoding) => {
  const { tiktoken, encoder } = both(encoding)
  const expected = (text: string) => tiktoken.encode_ordinary(text)

  test("gives any well-formed text tiktoken's tokens, one by one", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(tokensOf(text, both(encoding))).toEqual([...expected(text)])
      }),
      { numRuns: runs(2000) },
    )
  })

  test("gives texts where its pattern looks ahead or back tiktoken's tokens, one by one", () => {
    for (const text of trickyTexts) expect(tokensOf(text, both(encoding)), JSON.stringify(text)).toEqual([...expected(text)])
  })

  test("gives long unbroken tiktoken's tokens, one by one", () => {
    for (const text of [...unbroken, scrambled])
      expect(tokensOf(text, both(encoding)), text.slice(0, 4)).toEqual([...expected(text)])
  })

  test("counts as many tokens as tiktoken, also when asked again", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const tokens = expected(text).length
        expect([encoder.count(text), encoder.count(text)]).toEqual([tokens, tokens])
      }),
      { numRuns: runs(1000) },
    )
    for (const text of [...unbroken, scrambled]) expect(encoder.count(text), text.slice(0, 4)).toBe(expected(text).length)
  })

  test("counts a lone surrogate as tiktoken does, as U+FFFD, and splits there without moving an offset", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText(), fc.constantFrom("\ud800", "\udc00", "\udfff", "a\ud83d"))), (parts) => {
        const text = parts.join("")
        expect(encoder.count(text)).toBe(expected(text).length)
        expect(encoder.pieces(text)).toEqual(encoder.pieces(text.toWellFormed()))
      }),
      { numRuns: runs(300) },
    )
  })
})

/** The pieces that a cache still knows. Asking keeps a piece alive, so each cache is asked once. */
const known = (cache: ReturnType<typeof createPieceCache>, pieces: readonly string[]) =>
  pieces.filter((piece) => cache.get(piece) !== undefined)

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `piece ${String(index).padStart(4, "0")}`)

test("a cache answers with what was put in or not at all", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.nat(9))), fc.integer({ min: 1, max: 5 }), (entries, size) => {
      const cache = createPieceCache({ pieces: size, characters: 8 })
      const model = new Map<string, number>()
      for (const [piece, tokens] of entries) {
        const found = cache.get(piece)
        expect(found === undefined || found === model.get(piece)).toBe(true)
        model.set(piece, tokens)
        cache.set(piece, tokens)
        expect(cache.get(piece)).toBe(tokens)
      }
    }),
  )
})

test("a cache holds at most two generations, in pieces and in characters", () => {
  const pieces = numbered(1000)
  const byPieces = createPieceCache({ pieces: 50, characters: 1_000_000 })
  const byCharacters = createPieceCache({ pieces: 1_000_000, characters: 500 })
  for (const piece of pieces) {
    byPieces.set(piece, 2)
    byCharacters.set(piece, 2)
  }
  expect(known(byPieces, pieces.toReversed()).length).toBeLessThanOrEqual(100)
  expect(known(byCharacters, pieces.toReversed()).length).toBeLessThanOrEqual(100)
})

test("a piece that is asked for again and again outlives those that are not", () => {
  const cache = createPieceCache({ pieces: 10, characters: 1000 })
  cache.set("kept", 4)
  for (const piece of numbered(500)) {
    cache.set(piece, 2)
    expect(cache.get("kept")).toBe(4)
  }
})

test("the bytes of a part of a text are its UTF-8", () => {
  fc.assert(
    fc.property(anyText(), anyText(), anyText(), (before, text, after) => {
      const bytes = new Uint8Array(text.length * 3)
      const length = writeUtf8(before + text + after, before.length, before.length + text.length, bytes)
      expect(bytes.slice(0, length)).toEqual(new TextEncoder().encode(text))
    }),
    { numRuns: runs(1000) },
  )
})
