import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { runs } from "../../support/size.ts"
import { anyText, trickyTexts } from "./arbitrary-pieces.ts"
import { both, encodings, tokensOf } from "./encoders.ts"

/** Long enough to merge for itself, short enough for tiktoken, whose time grows with the square. */
const unbroken = ["a", "A", " ", "\n", "你", "我们", "😀", "!", "é", "ab", "7", "\u0301", "\r\n", " \n", "A你", "'s", "=-"].map(
  (unit) => unit.repeat(600),
)

/** Letters in no order, so that the merges are many and of all ranks. */
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

  test("gives long runs tiktoken's tokens, one by one", () => {
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
