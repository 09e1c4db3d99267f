import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { JsonReader } from "../../../src/reply/json/json-reader.ts"
import { JsonBuilder, parseJson } from "../../../src/reply/json/json-value.ts"
import { runs } from "../../support/size.ts"

const parse = (text: string) => parseJson(text)

describe("reading JSON values", () => {
  test("any object or list that JSON.stringify writes is read as JSON.parse reads it, in any cutting", () => {
    const values = fc.oneof(
      fc.array(fc.jsonValue({ noUnicodeString: false })),
      fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()),
    )
    fc.assert(
      fc.property(values, fc.constantFrom("", " ", "\n\t"), fc.integer({ min: 1, max: 5 }), (value, indent, size) => {
        const text = JSON.stringify(value, null, indent)
        expect(parse(text)).toEqual(JSON.parse(text))
        const builder = new JsonBuilder()
        const reader = new JsonReader(builder)
        for (let at = 0; at < text.length; at += size) reader.feed(text.slice(at, at + size), 0)
        expect(reader.state).toBe("closed")
        expect(builder.take()).toEqual(JSON.parse(text))
      }),
      { numRuns: runs(300) },
    )
  })

  test("text that JSON.parse refuses is refused, raw control characters and unknown escapes in strings apart", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"',
      "1",
      "-",
      "0",
      ".5",
      "e",
      "+",
      "true",
      "nul",
      " ",
      "x",
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = `{"k":${parts.join("")}}`
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {
          expected = undefined
        }
        if (expected !== undefined && /"a"\s*:.*"a"\s*:|"k"\s*:.*"k"/s.test(text)) return
        expect(parse(text)).toEqual(expected)
      }),
      { numRuns: runs(20_000) },
    )
  })

  test.each(["01", "1.", ".5", "+1", "--1", "1e", "0x1", "NaN", "True", "1 2", "tru", "-"])("%s is no value", (raw) => {
    expect(parse(`{"a":${raw}}`)).toBeUndefined()
  })

  test("a root that is neither object nor list is refused, and so is what follows one", () => {
    for (const text of ["1", '"a"', "true", "", "{}x", "{}{}", "{", "[", "]"]) expect(parse(text)).toBeUndefined()
    expect(parse(" {} \n")).toEqual({})
  })

  test("of equal names in an object the first counts (T23)", () => {
    expect(parse('{"a":1,"b":{"a":1,"a":[2]},"a":{"c":3}}')).toEqual({ a: 1, b: { a: 1 } })
  })
})
