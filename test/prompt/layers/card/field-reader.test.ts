import { expect, test } from "vitest"
import { createFieldReader } from "../../../../src/prompt/layers/card/field-reader.ts"

test("warnings end after a thousand, which the last one says", () => {
  const warnings: string[] = []
  const read = createFieldReader({ a: {} }, warnings)
  for (let at = 0; at < 1_003; at++) read.text("a")
  expect(warnings).toHaveLength(1_001)
  expect(warnings.at(-2)).toBe("a: expected a text, found an object; read as no text.")
  expect(warnings.at(-1)).toBe("More fields are of another type; they are read in the same way.")
})

test("a warning shows what was found, and what it is read as", () => {
  const warnings: string[] = []
  const fields = { a: {}, b: [1], c: "x".repeat(99), d: "7", e: 1, f: null, g: true }
  const read = createFieldReader(fields, warnings, "card.")
  expect([read.text("a"), read.texts("c").length, read.number("b"), read.number("d"), read.flag("e"), read.flag("a")]).toEqual([
    ...["", 1, undefined, 7, true, undefined],
  ])
  expect([read.text("f"), read.text("g"), read.texts("missing")]).toEqual(["", "true", []])
  expect(warnings).toEqual([
    "card.a: expected a text, found an object; read as no text.",
    `card.c: expected a list of texts, found "${"x".repeat(60)}"; read as a list of one.`,
    "card.b: expected a finite number, found a list; read as absent.",
    'card.d: expected a finite number, found "7"; read as 7.',
    "card.e: expected true or false, found 1; read as true.",
    "card.a: expected true or false, found an object; read as absent.",
    "card.g: expected a text, found true; read as a text.",
  ])
})
