import fc from "fast-check"
import { expect, test } from "vitest"
import { passagesOf } from "../../../../../src/memory/services/recall/documents/document-table.ts"

const most = 8_192
const parts = fc.constantFrom("a word", ". ", "。", "\n", " ", "x".repeat(3_000), "字".repeat(5_000), "👩‍🚀".repeat(900), "é")

test("M23 the passages of any text are the text, none is too long, and none but the only one is empty", () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 60 }), (parts) => {
      const text = parts.join("")
      const passages = passagesOf(text)
      expect(passages.join("")).toBe(text)
      for (const passage of passages) {
        expect(passage.length).toBeLessThanOrEqual(most)
        expect(passage.isWellFormed()).toBe(true)
      }
      expect(passages.every((passage) => passage !== "") || passages.length === 1).toBe(true)
    }),
  )
})

test("a text of 8,192 characters is one passage, and a longer one ends its passages behind a line, a sentence or a word", () => {
  expect(passagesOf("x".repeat(most))).toHaveLength(1)
  const filled = (end: string, rest: string) => `${"x".repeat(5_000)}${end}${"x".repeat(2_000)}${rest}${"x".repeat(4_000)}`
  for (const [first, other] of [
    ["\n", ". "],
    [". ", "。"],
    ["。", " "],
    [" ", "x"],
  ] as const)
    expect(passagesOf(filled(first, other))[0], JSON.stringify(first)).toBe(`${"x".repeat(5_000)}${first}`)
  expect(passagesOf("x".repeat(most + 1)).map(({ length }) => length)).toEqual([most, 1])
  expect(passagesOf(`x${"👩‍🚀".repeat(2_000)}`)[0]?.length).toBe(8_191)
})
