import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { encodeInline, encodeJsonLine } from "../../../src/prompt/encode/inline.ts"
import { hasLineBreak } from "../../../src/prompt/encode/line-breaks.ts"
import { decodeInline } from "../../support/decode-text.ts"
import { runs } from "../../support/size.ts"
import { anyText } from "./arbitrary-text.ts"

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Cs}]/u

describe("inline", () => {
  test.each([
    "主人",
    "Fay",
    "早起闹钟",
    "09:00",
    "北京",
    "日程添加成功，ID: 15",
    "2026-03-01",
    "8°C",
    "it's 5 km/h & more",
    "Zoë",
  ])("T10 %s stands bare", (text) => {
    expect(encodeInline(text)).toBe(text)
  })

  test.each([
    ["a comma", "a, b", '"a, b"'],
    ["a parenthesis", "x)", '"x)"'],
    ["a line break", "line\nline", '"line\\nline"'],
    ["nothing", "", '""'],
    ["a blank at an end", " x", '" x"'],
    ["two blanks in a row", "a  b", '"a  b"'],
    ["a number", "17", '"17"'],
    ["another number", "1.5e+3", '"1.5e+3"'],
    ["a JSON word", "true", '"true"'],
    ["a word in full width that is JSON", "ｔｒｕｅ", '"ｔｒｕｅ"'],
    ["a number that is a parenthesis in disguise", "x⑴", '"x⑴"'],
    ["a colon at its end", "注意：", '"注意："'],
    ["a line break JSON leaves alone", "a\u2028b\u0085c", '"a\\u2028b\\u0085c"'],
    ["an invisible character", "a\u200db", '"a\\u200db"'],
    ["a tag character", "a\u{e0041}", '"a\\udb40\\udc41"'],
    ["a quote of another width", "a＂b", '"a\\uff02b"'],
    ["half a character", "a\ud83d", '"a\\ud83d"'],
    ["an arrow", "x → y", '"x → y"'],
  ])("T10 quotes a text with %s", (_what, text, encoded) => {
    expect(encodeInline(text)).toBe(encoded)
    expect(decodeInline(encoded)).toBe(text)
  })

  test("quotes what is longer than 500 characters, counted in code points", () => {
    expect(encodeInline("好".repeat(500))).toBe("好".repeat(500))
    expect(encodeInline("𠀀".repeat(500))).toBe("𠀀".repeat(500))
    expect(encodeInline("好".repeat(501))).toBe(`"${"好".repeat(501)}"`)
  })

  test("decoding inverts encoding for every string; the encoded form is one line and hides nothing", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const encoded = encodeInline(text)
        expect(decodeInline(encoded)).toBe(text)
        expect(hasLineBreak(encoded)).toBe(false)
        expect(encoded).not.toMatch(invisible)
      }),
      { numRuns: runs(2000) },
    )
  })

  test("T10 what stands bare is not JSON", () => {
    const wordLike = fc.oneof(
      fc.stringMatching(/^[0-9eE+.-]{1,8}$/),
      fc.constantFrom("null", "true", "false", "NaN"),
      fc.double().map(String),
    )
    fc.assert(
      fc.property(wordLike, (text) => {
        if (encodeInline(text) === text) expect(() => JSON.parse(text)).toThrow()
      }),
      { numRuns: runs(2000) },
    )
  })

  test("T10 a list of arguments can be taken apart again, whatever the values are", () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), (values) => {
        const list = values.map((value, index) => `k${index}=${encodeInline(value)}`).join(", ")
        expect(readArguments(`${list}) → `)).toEqual(values)
      }),
      { numRuns: runs(2000) },
    )
  })

  test("a text that is no encoding is refused", () => {
    expect(() => decodeInline('"open')).toThrow(PromptStrataError)
    expect(() => decodeInline('"open')).toThrow(String.raw`found "\"open".`)
  })

  test("any JSON value stands on one line and parses back", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (json, text) => {
        const value = { [text]: [json, text] }
        const line = encodeJsonLine(value)
        expect(hasLineBreak(line)).toBe(false)
        expect(line).not.toMatch(invisible)
        expect(line).toBe(encodeJsonLine(JSON.parse(line)))
        expect(JSON.stringify(JSON.parse(line))).toBe(JSON.stringify(value))
      }),
    )
  })

  test("what JSON cannot hold is refused, and undefined prints null", () => {
    const cycle: unknown[] = []
    cycle.push(cycle)
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    for (const value of [cycle, deep, 1n]) expect(() => encodeJsonLine(value)).toThrow(PromptStrataError)
    expect(encodeJsonLine(undefined)).toBe("null")
  })
})

/** A reader of `k0=v, k1=v) → ` written from T10: bare values end at `,` or `)`, quoted ones are JSON strings. */
function readArguments(text: string): string[] {
  const values: string[] = []
  let rest = text
  for (;;) {
    rest = rest.slice(rest.indexOf("=") + 1)
    const quoted = /^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0]
    const written = quoted ?? /^[^,)]*/.exec(rest)?.[0] ?? ""
    values.push(quoted === undefined ? written : JSON.parse(quoted))
    rest = rest.slice(written.length)
    if (rest.startsWith(")")) return values
  }
}
