import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../../src/core/graphemes.ts"
import { anyText } from "../prompt/encode/arbitrary-text.ts"

/** Every boundary, by segmenting the whole text. */
function boundariesOf(text: string): number[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
  return [...[...segmenter.segment(text)].map(({ index }) => index), text.length]
}

const clusters = fc
  .array(
    fc.constantFrom(
      "👨‍👩‍👧‍👦",
      "🇨🇳",
      "🇫🇷",
      "e\u0301",
      "각",
      "😀",
      "1️⃣",
      "नि",
      "a",
      "\r\n",
      "\n",
      "\ud83d",
      "好",
      "🏴\u{e0067}\u{e007f}",
    ),
    {
      maxLength: 400,
    },
  )
  .map((parts) => parts.join(""))

describe("S17 a boundary between graphemes", () => {
  test("is the nearest on its side, as segmenting the whole text finds it", () => {
    fc.assert(
      fc.property(fc.oneof(clusters, anyText), fc.nat(), (text, at) => {
        const offset = at % (text.length + 1)
        const all = boundariesOf(text)
        expect(graphemeBoundaryBefore(text, offset)).toBe(all.findLast((boundary) => boundary <= offset))
        expect(graphemeBoundaryAfter(text, offset)).toBe(all.find((boundary) => boundary >= offset))
      }),
      { numRuns: 3000 },
    )
  })

  test("flags are counted from the first of their row, however long it is", () => {
    const row = "🇨🇳".repeat(500)
    for (const offset of [1, 2, 3, 5, 998, 1001, 1003]) {
      expect(graphemeBoundaryBefore(row, offset)).toBe(offset - (offset % 4))
      expect(graphemeBoundaryAfter(row, offset)).toBe(offset % 4 === 0 ? offset : offset - (offset % 4) + 4)
    }
  })

  test("a flag, a pair or a letter with hundreds of marks is cut between characters, wherever it begins", () => {
    for (const first of ["🇨🇳", "🇨", "😀", "a"])
      for (let marks = 248; marks < 262; marks++) {
        const text = `${first}${"\u0301".repeat(600)}`
        const offset = first.length + marks
        // Nothing shorter than the window is cut, and nothing longer is searched for its begin.
        const before = graphemeBoundaryBefore(text, offset)
        expect(before, `${first} and ${marks} marks`).toBe(marks < 256 - first.length ? 0 : offset)
        expect(graphemeBoundaryAfter(text, offset)).toBe(text.length - offset <= 256 ? text.length : offset)
      }
  })

  test("a cluster longer than people write is cut between characters, never within one", () => {
    const long = `a${"\u0301".repeat(2000)}${"𝅥".repeat(2000)}`
    for (let offset = 2500; offset < 2520; offset++) {
      const [before, after] = [graphemeBoundaryBefore(long, offset), graphemeBoundaryAfter(long, offset)]
      for (const at of [before, after]) expect(long.slice(0, at).isWellFormed()).toBe(true)
      expect(before).toBeLessThanOrEqual(offset)
    }
  })

  test("offsets outside of the text are its ends", () => {
    expect([graphemeBoundaryBefore("ab", -1), graphemeBoundaryBefore("ab", 9)]).toEqual([0, 2])
    expect([graphemeBoundaryAfter("ab", -1), graphemeBoundaryAfter("ab", 9)]).toEqual([0, 2])
  })
})
