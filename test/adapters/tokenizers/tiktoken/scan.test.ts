import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { runs } from "../../../support/size.ts"
import { piecesOfText } from "./arbitrary-pieces.ts"
import { both, encodings } from "./encoders.ts"

describe.each(encodings)("a scan by %s", (encoding) => {
  const { encoder } = both(encoding)

  test("has the pieces and the count of a text, long ones and half pairs too", () => {
    const long = fc
      .tuple(
        piecesOfText(4),
        fc.constantFrom("\ud83d", "\ude00", "😀", "a", " ", "!", "\n"),
        fc.integer({ min: 4080, max: 4100 }),
        piecesOfText(4),
      )
      .map(
        ([before, unit, length, after]) =>
          `${"x ".repeat(length >> 1)}${before}${unit}${after}${"。".repeat(length)}${unit}${before}`,
      )
    fc.assert(
      fc.property(fc.oneof(piecesOfText(10), long, fc.string({ unit: "binary" })), (text) => {
        const starts: number[] = []
        let [at, tokens] = [0, 0]
        encoder.scan(text, (end, count) => {
          starts.push(at)
          at = end
          tokens += count
          return true
        })
        expect(starts).toEqual([...encoder.pieces(text)])
        expect(tokens).toBe(encoder.count(text))
      }),
      { numRuns: runs(150) },
    )
  })

  test("has them also where half a pair stands beside the end of a block that it reads at once", () => {
    for (const half of ["\ud83d", "\ude00"]) {
      for (const end of [4096, 8192]) {
        for (let place = end - 6; place <= end + 3; place++) {
          const text = `${"x ".repeat(place >> 1)}${place % 2 === 0 ? "" : "y"}${half}${place % 3 === 0 ? "abc" : " !😀"} and more`
          const ends: number[] = []
          let tokens = 0
          encoder.scan(text, (to, count) => {
            ends.push(to)
            tokens += count
            return true
          })
          expect([0, ...ends.slice(0, -1)], `${place}`).toEqual([...encoder.pieces(text)])
          expect(tokens).toBe(encoder.count(text))
        }
      }
    }
  })

  test("stops when its visitor has enough", () => {
    let visits = 0
    encoder.scan("one two three four", () => ++visits < 2)
    expect(visits).toBe(2)
  })
})
