import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { runs } from "../../../support/size.ts"
import { anyText, piecesOfText } from "./arbitrary-pieces.ts"
import { both, encodings } from "./encoders.ts"

interface SplitText {
  readonly text: string
  readonly starts: Uint32Array
}

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
      { numRuns: runs(500) },
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
      { numRuns: runs(2000) },
    )
  })
})
