import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Part } from "../../../../src/prompt/assemble/tokens/part.ts"
import { PartStore } from "../../../../src/prompt/assemble/tokens/part-store.ts"
import { TextSlices } from "../../../../src/prompt/assemble/tokens/text-slices.ts"
import { piecesOfText } from "../../../adapters/tokenizers/tiktoken/arbitrary-pieces.ts"
import { both, encodings } from "../../../adapters/tokenizers/tiktoken/encoders.ts"
import { runs } from "../../../support/size.ts"

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 })

/** Everything of a part but the numbers that are given once. */
function facts(part: Part | undefined) {
  if (!part) return undefined
  const { text, tokens, pieces, innerTokens, head, tail } = part
  return { text, tokens, pieces, innerTokens, head, tail: { ...tail, id: 0 } }
}

describe.each(encodings)("slices of a text counted with %s", (encoding) => {
  const { encoder } = both(encoding)

  test("S14 beginnings and ends have the pieces and tokens they have when split by themselves, in whatever order asked for", () => {
    fc.assert(
      fc.property(piecesOfText(40), shares, (text, at) => {
        const slices = new TextSlices(text, new PartStore(encoder.scan))
        for (const share of at) {
          const place = Math.floor(share * text.length)
          for (const { text: slice, known } of [
            ...(place > 0 ? [slices.head(place)] : []),
            ...(place < text.length ? [slices.tail(place)] : []),
          ]) {
            expect(facts(known?.part)).toEqual(facts(new PartStore(encoder.scan).part(slice)))
          }
        }
      }),
      { numRuns: runs(400) },
    )
  })

  test("S14 ends of a long text have their own pieces, whichever end was asked for before", () => {
    fc.assert(
      fc.property(piecesOfText(300), shares, (text, at) => {
        const long = text.repeat(Math.ceil(1500 / Math.max(1, text.length)))
        const slices = new TextSlices(long, new PartStore(encoder.scan))
        for (const share of at.toSorted((a, b) => b - a)) {
          const { text: slice, known } = slices.tail(Math.floor(share * (long.length - 1)))
          expect(facts(known?.part)).toEqual(facts(new PartStore(encoder.scan).part(slice)))
        }
      }),
      { numRuns: runs(100) },
    )
  })

  test("a text of the longest tokens exceeds no more tokens than it has", () => {
    for (const unit of [" ", "=", "-", "a"]) {
      const most = encoder.longestToken
      for (const length of [0, 1, 2, 3, most >> 1, most - 1, most, most + 1, 2 * most]) {
        const text = unit.repeat(length)
        const tokens = encoder.count(text)
        for (const asked of [0, Math.max(0, tokens - 1), tokens, tokens + 1]) {
          for (const longest of [undefined, most]) {
            const slices = new TextSlices(text, new PartStore(encoder.scan))
            expect(slices.exceeds(asked, longest), JSON.stringify([unit, length, asked, longest])).toBe(tokens > asked)
          }
        }
      }
    }
  })

  test("the place of so many tokens is the end of the pieces that have no more, and a share of the next one", () => {
    fc.assert(
      fc.property(piecesOfText(40), fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 4 }), (text, asked) => {
        const slices = new TextSlices(text, new PartStore(encoder.scan))
        const pieces: [end: number, tokens: number][] = []
        encoder.scan(text, (end, tokens) => pieces.push([end, tokens]) > 0)
        for (const tokens of asked) {
          let [start, left] = [0, tokens]
          let next = 0
          while (next < pieces.length && (pieces[next]?.[1] ?? 0) <= left) {
            left -= pieces[next]?.[1] ?? 0
            start = pieces[next++]?.[0] ?? 0
          }
          const [end, own] = pieces[next] ?? [start, 1]
          expect(slices.unitsOf(tokens)).toBe(start + Math.round((left / own) * (end - start)))
        }
      }),
      { numRuns: runs(400) },
    )
  })

  test("a text exceeds so many tokens or not, whether the longest token is known or not", () => {
    fc.assert(
      fc.property(piecesOfText(40), fc.integer({ min: 0, max: 60 }), fc.boolean(), (text, tokens, isKnown) => {
        const slices = new TextSlices(text, new PartStore(encoder.scan))
        expect(slices.exceeds(tokens, isKnown ? encoder.longestToken : undefined)).toBe(encoder.count(text) > tokens)
      }),
      { numRuns: runs(400) },
    )
  })
})
