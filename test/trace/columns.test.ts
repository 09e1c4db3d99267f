import fc from "fast-check"
import { expect, test } from "vitest"
import { displayWidth } from "../../src/core/display-width.ts"
import { fitColumns, fitColumnsAtEnd, wrapColumns } from "../../src/trace/table.ts"

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

test("a wide line is broken between words and Chinese characters, and goes on further in than it began", () => {
  expect(wrapColumns("  one two three", 9)).toBe("  one two\n  three")
  expect(wrapColumns("世界书，在这里。", 8, 2)).toBe("世界书，\n  在这\n  里。")
  expect(wrapColumns("see https://example.org/a/long/path", 10)).toBe("see\nhttps://example.org/a/long/path")
  expect(wrapColumns("any width ".repeat(50))).toBe("any width ".repeat(50))
})

test("broken lines are wide only where one word is, and say the same words", () => {
  const line = fc.array(fc.stringMatching(/^[a-z\u4e00-\u4eff，。]{1,8}$/), { maxLength: 12 }).map((words) => words.join(" "))
  fc.assert(
    fc.property(line, fc.integer({ min: 20, max: 40 }), fc.integer({ min: 0, max: 4 }), (text, columns, hang) => {
      const broken = wrapColumns(text, columns, hang)
      expect(broken.replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""))
      for (const part of broken.split("\n")) expect(displayWidth(part)).toBeLessThanOrEqual(columns)
    }),
  )
})
