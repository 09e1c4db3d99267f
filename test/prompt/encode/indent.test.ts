import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { encodeIndent } from "../../../src/prompt/encode/encode.ts"
import { splitLines } from "../../../src/prompt/encode/line-breaks.ts"
import { decodeIndent } from "../../support/decode-text.ts"
import { anyText } from "./arbitrary-text.ts"

describe("indent", () => {
  test("puts the prefix before every line, after every kind of break, empty lines too", () => {
    expect(encodeIndent("a\r\nb\u2028\n\vc")).toBe("  a\r\n  b\u2028  \n  \v  c")
    expect(encodeIndent("", "> ")).toBe("> ")
  })

  test("decoding inverts encoding for every string and prefix, and no line stands without it", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom("  ", "> ", "\t", "", "- "), (text, prefix) => {
        const encoded = encodeIndent(text, prefix)
        expect(decodeIndent(encoded, prefix)).toBe(text)
        expect(splitLines(encoded).filter((line) => !line.text.startsWith(prefix))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  test("a prefix that would break lines is refused", () => {
    expect(() => encodeIndent("a", ">\n")).toThrow(PromptStrataError)
  })
})
