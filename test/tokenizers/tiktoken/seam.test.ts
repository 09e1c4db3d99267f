import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type SplitText, settleSeam } from "../../../src/tokenizers/tiktoken/seam.ts"
import { anyText, piecesOfText } from "./arbitrary-pieces.ts"
import { both, encodings } from "./encoders.ts"

const pieceTexts = ({ text, starts }: SplitText): string[] =>
  Array.from(starts, (start, index) => text.slice(start, starts[index + 1]))

describe.each(encodings)("the pieces of %s", (encoding) => {
  const { encoder } = both(encoding)
  const split = (text: string): SplitText => ({ text, starts: encoder.pieces(text) })
  const count = (texts: readonly string[]) => texts.reduce((sum, text) => sum + encoder.count(text), 0)

  test("look at nothing before them, and one alone is one piece", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const { starts } = split(text)
        for (const [index, start] of starts.entries()) {
          expect([...split(text.slice(start)).starts]).toEqual([...starts.subarray(index)].map((later) => later - start))
        }
        for (const piece of pieceTexts({ text, starts })) expect([...split(piece).starts]).toEqual([0])
        expect(count(pieceTexts({ text, starts }))).toBe(encoder.count(text))
      }),
      { numRuns: 500 },
    )
  })

  test("vouch for all before them when text is appended and they stay", () => {
    fc.assert(
      fc.property(piecesOfText(8), piecesOfText(3), (text, appended) => {
        const before = pieceTexts(split(text))
        const joined = text + appended
        const stays = before.map((piece, index) => {
          const start = split(text).starts[index] ?? 0
          return pieceTexts(split(joined.slice(start)))[0] === piece
        })
        expect(stays.lastIndexOf(true) + 1).toBe(stays.indexOf(false) < 0 ? stays.length : stays.indexOf(false))
      }),
      { numRuns: 2000 },
    )
  })

  test("of a joined text are those of its parts but for the ones at the seam", () => {
    fc.assert(
      fc.property(piecesOfText(), piecesOfText(), (a, b) => {
        const [left, right] = [split(a), split(b)]
        const { kept, between, resumed } = settleSeam(left, right, encoder.pieces)
        const joined = [...pieceTexts(left).slice(0, kept), ...between, ...pieceTexts(right).slice(resumed)]
        expect(joined).toEqual(pieceTexts(split(a + b)))
        expect(count(joined)).toBe(encoder.count(a + b))
      }),
      { numRuns: 3000 },
    )
  })
})

test("a change that reaches back over many pieces is followed there", () => {
  /** Every `a` is a piece, but a run of them before a `b` is one piece with it; so is any other character. */
  const pieces = (text: string): Uint32Array => Uint32Array.from(text.matchAll(/a+b|./g), ({ index }) => index)
  const [left, right] = ["xaaaaaaa", "by"].map((text) => ({ text, starts: pieces(text) })) as [SplitText, SplitText]
  expect(settleSeam(left, right, pieces)).toEqual({ kept: 1, between: ["aaaaaaab"], resumed: 1 })
})

test("settling a seam of two long texts splits a few characters", () => {
  const { encoder } = both("o200k_base")
  const text = "The quick brown fox, 他说：“好的。”\n".repeat(5000)
  const starts = encoder.pieces(text)
  let characters = 0
  settleSeam({ text, starts }, { text, starts }, (window) => {
    characters += window.length
    return encoder.pieces(window)
  })
  expect(characters).toBeLessThan(40)
})
