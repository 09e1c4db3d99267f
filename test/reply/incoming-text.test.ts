import fc from "fast-check"
import { expect, test } from "vitest"
import { addPiece, createWellFormedReader, isHighSurrogate, isLowSurrogate } from "../../src/reply/incoming-text.ts"
import { runs } from "../support/size.ts"

test("the pieces of a text, joined, are the text, and their list stays short", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 600, size: "max" }), (deltas) => {
      const pieces: string[] = []
      let text = ""
      for (const [at, delta] of deltas.entries()) {
        addPiece(pieces, delta)
        text += delta
        expect(pieces.length).toBeLessThanOrEqual(128)
        if (at % 100 === 0) expect(pieces.join("")).toBe(text)
      }
      expect(pieces.join("")).toBe(text)
    }),
    { numRuns: runs(50) },
  )
})

test.each([
  [0xd7ff, false, false],
  [0xd800, true, false],
  [0xdbff, true, false],
  [0xdc00, false, true],
  [0xdfff, false, true],
  [0xe000, false, false],
  [Number.NaN, false, false],
])("the unit %d is the first half of a pair: %s, the second: %s", (unit, isFirst, isSecond) => {
  expect([isHighSurrogate(unit), isLowSurrogate(unit)]).toEqual([isFirst, isSecond])
})

test("T23: pairs at the ends of their range stay whole however they are cut, and half of one is U+FFFD", () => {
  const units = ["\ud800", "\ud801", "\udbff", "\udc00", "\udfff", "\ud7ff", "\ue000", "a", ""]
  for (const first of units)
    for (const second of units)
      for (const third of units) {
        const reader = createWellFormedReader()
        const pieces = [first, second, third].map((unit) => reader.push(unit))
        const text = [...pieces, reader.end()].flat()
        expect(text.join("")).toBe((first + second + third).toWellFormed())
        expect(text.every((piece) => piece !== "" && piece.isWellFormed())).toBe(true)
        // Only the first half of a pair waits.
        const isWaiting = /[\ud800-\udbff]$/.test(first)
        expect(pieces[0]).toEqual(isWaiting || first === "" ? [] : [first.toWellFormed()])
        expect(reader.end()).toEqual([])
      }
})
