import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Part } from "../../../../src/prompt/assemble/tokens/part.ts"
import { PartStore } from "../../../../src/prompt/assemble/tokens/part-store.ts"
import type { PieceScan } from "../../../../src/prompt/assemble/tokens/piece-window.ts"
import { messageStart } from "../../../../src/prompt/assemble/tokens/seam.ts"
import { piecesOfText } from "../../../adapters/tokenizers/tiktoken/arbitrary-pieces.ts"
import { both, encodings } from "../../../adapters/tokenizers/tiktoken/encoders.ts"
import { runs } from "../../../support/size.ts"

/** The count of a message after each of its parts. */
function counts(store: PartStore, texts: readonly string[]): number[] {
  let tail = messageStart
  let tokens = 0
  return texts.map((text, index) => {
    const part = store.part(text)
    const seam = store.knownSeam(tail, part) ?? store.settleSeam(tail, part, () => texts.slice(0, index).join(""))
    tail = seam.tail
    tokens += seam.tokens
    return tokens
  })
}

const tiny = fc.constantFrom(
  "a",
  "A",
  " ",
  "\n",
  "1",
  "'",
  "s",
  "中",
  "\u0301",
  "/",
  ".",
  "ll",
  "\r",
  "😀",
  "  ",
  "t",
  "B",
  "x ",
  "\ud83d",
  "\ude00",
)
const part = fc.oneof(
  { weight: 3, arbitrary: tiny },
  { weight: 3, arbitrary: piecesOfText(3) },
  { weight: 1, arbitrary: piecesOfText(30) },
)
const parts = fc.array(
  part.filter((text) => text !== ""),
  { minLength: 1, maxLength: 14 },
)

describe.each(encodings)("joined parts counted with %s", (encoding) => {
  const { encoder } = both(encoding)

  test("S14 have the tokenizer's count of the joined text after each of them, chains of tiny ones too", () => {
    const store = new PartStore(encoder.scan)
    fc.assert(
      fc.property(parts, (texts) => {
        const expected = texts.map((_, index) => encoder.count(texts.slice(0, index + 1).join("")))
        expect(counts(store, texts)).toEqual(expected)
      }),
      { numRuns: runs(1500) },
    )
  })
})

test("S14 a seam that reaches back further than what is kept of a text is followed there", () => {
  /** Every `a` is a piece, but a run of them before a `b` is one piece with it; so is any other character. */
  const scan: PieceScan = (text, visit) => {
    for (const { 0: piece, index } of text.matchAll(/a+b|./gsu)) if (visit(index + piece.length, 1) === false) return
  }
  const store = new PartStore(scan)
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[abx]{1,30}$/), { minLength: 1, maxLength: 6 }), (texts) => {
      const expected = texts.map(
        (_, index) =>
          texts
            .slice(0, index + 1)
            .join("")
            .match(/a+b|./g)?.length,
      )
      expect(counts(store, texts)).toEqual(expected)
    }),
    { numRuns: runs(1000) },
  )
})

test("S14 a text and a seam that were seen are not split again, and a new seam splits a few characters", () => {
  const { encoder } = both("o200k_base")
  let characters = 0
  const store = new PartStore((text, visit) => {
    characters += text.length
    encoder.scan(text, visit)
  })
  const texts = ["The quick brown fox, 他说：“好的。”\n".repeat(500), "\n\n", "And so on, and so on.".repeat(200)]
  counts(store, texts)
  const first = characters
  counts(store, texts)
  expect(characters).toBe(first)
  counts(store, texts.toReversed())
  expect(characters - first).toBeLessThan(80)
})

test("a seam is never taken for that of two others, however many texts were counted before", () => {
  const { encoder } = both("o200k_base")
  const edges = [
    0,
    1,
    2,
    5,
    2 ** 26 - 1,
    2 ** 26,
    2 ** 26 + 5,
    2 ** 27 - 1,
    2 ** 27,
    2 ** 27 + 1,
    2 ** 28,
    2 ** 52 + 1,
    2 ** 52 + 2,
  ]
  const id = fc.constantFrom(...edges)
  const numbered = (text: string, number: number): Part => {
    const { tokens, pieces, head, tail, innerTokens } = new PartStore(encoder.scan).part(text)
    return { id: number, text, tokens, pieces, head, tail, innerTokens }
  }
  fc.assert(
    fc.property(id, id, id, id, (firstTail, firstPart, secondTail, secondPart) => {
      const store = new PartStore(encoder.scan)
      const tail = { ...store.part("so far").tail, id: firstTail }
      const seam = store.settleSeam(tail, numbered(" more", firstPart), () => "so far")
      const isSame = firstTail === secondTail && firstPart === secondPart
      const known = store.knownSeam({ ...tail, id: secondTail }, numbered("?", secondPart))
      expect(known?.tokens).toBe(isSame ? seam.tokens : undefined)
    }),
    { numRuns: runs(4_000) },
  )
})
