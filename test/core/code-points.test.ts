import { expect, test } from "vitest"
import { clipped, countCodePoints, offsetAfter, widthAt } from "../../src/core/graphemes.ts"

test("code points are counted and measured as iterating over a text finds them, whatever halves of pairs it has", () => {
  const units = ["a", "\ud7ff", "\ud800", "\ud801", "\udbff", "\udc00", "\udc01", "\udfff", "\ue000", "\uffff"]
  const every = (length: number): string[] =>
    length === 0 ? [""] : every(length - 1).flatMap((text) => units.map((unit) => text + unit))
  for (const text of [...every(0), ...every(1), ...every(2), ...every(4)]) {
    const points = [...text]
    expect(countCodePoints(text)).toBe(points.length)
    for (const count of [-1, 0, 1, 2, 3, 4, 5, 99])
      expect(offsetAfter(text, count)).toBe(points.slice(0, Math.max(0, count)).join("").length)
    for (let at = 0, point = 0; at < text.length; at += points[point]?.length ?? 1, point++)
      expect(widthAt(text, at)).toBe(points[point]?.length)
    expect(widthAt(text, text.length)).toBe(1)
  }
})

test.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc…"],
  ["ab\u{1f600}d", 4, "ab\u{1f600}…"],
  ["ab\u{1f600}d", 3, "ab\ufffd…"],
])("%j is clipped to %i units and a sign", (text, most, expected) => {
  expect(clipped(text, most)).toBe(expected)
})
