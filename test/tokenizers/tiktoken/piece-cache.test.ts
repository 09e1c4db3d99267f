import fc from "fast-check"
import { expect, test } from "vitest"
import { createPieceCache } from "../../../src/tokenizers/tiktoken/encoder.ts"

/** How many of the pieces a cache still knows. Asking keeps a piece alive, so each cache is asked once. */
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
