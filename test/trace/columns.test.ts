import fc from "fast-check"
import { expect, test } from "vitest"
import { displayWidth } from "../../src/core/display-width.ts"
import { fitColumns, fitColumnsAtEnd } from "../../src/trace/table.ts"

test("a text that fits stays, a longer one is cut between characters, at its end or at its beginning", () => {
  expect(fitColumns("世界书", 6)).toBe("世界书")
  expect(fitColumns("世界书", 5)).toBe("世界…")
  expect(fitColumns("世界书", 4)).toBe("世…")
  expect(fitColumnsAtEnd("世界书", 5)).toBe("…界书")
  expect(fitColumnsAtEnd("a/👨‍👩‍👧.md", 6)).toBe("…👨‍👩‍👧.md")
})

test("what is cut is never wider than asked", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
      for (const cut of [fitColumns, fitColumnsAtEnd]) expect(displayWidth(cut(text, columns))).toBeLessThanOrEqual(columns)
    }),
  )
})
