import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { hasLineBreak, isLineBreak, joinLines, mapLines, splitLines } from "../../../src/prompt/encode/line-breaks.ts"
import { anyText } from "./arbitrary-text.ts"

describe("line breaks", () => {
  test("are all that JavaScript and the eye know, and nothing else", () => {
    const found = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(isLineBreak)
    expect(found).toEqual([0x0a, 0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029])
  })

  test("part lines and stay with them; a carriage return and a line feed are one", () => {
    expect(splitLines("a\r\nb\r\rc\u2028\u0085\vd\n")).toEqual([
      { text: "a", lineBreak: "\r\n" },
      { text: "b", lineBreak: "\r" },
      { text: "", lineBreak: "\r" },
      { text: "c", lineBreak: "\u2028" },
      { text: "", lineBreak: "\u0085" },
      { text: "", lineBreak: "\v" },
      { text: "d", lineBreak: "\n" },
      { text: "", lineBreak: "" },
    ])
    expect(splitLines("")).toEqual([{ text: "", lineBreak: "" }])
  })

  test("joined lines are the text, and agree with a regular expression", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = splitLines(text)
        expect(lines.map((line) => line.text + line.lineBreak).join("")).toBe(text)
        expect(lines.map((line) => line.text)).toEqual(text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/))
        expect(hasLineBreak(text)).toBe(lines.length > 1)
      }),
    )
  })

  test("joining by spaces trims each line, and leaves a text of one line as it is", () => {
    expect(joinLines(" a \n\n b\u0085c ")).toBe("a b c")
    expect(joinLines(" a ")).toBe(" a ")
  })

  test("mapping changes lines and no breaks", () => {
    expect(mapLines("a\r\n\nb\u2029c", (line) => (line === "b" ? "" : `>${line}`))).toBe(">a\r\n>\n\u2029>c")
    fc.assert(
      fc.property(anyText, (text) => {
        const expected = splitLines(text).map((line) => `<${line.text}>${line.lineBreak}`)
        expect(mapLines(text, (line) => `<${line}>`)).toBe(expected.join(""))
        expect(mapLines(text, (line) => line)).toBe(text)
      }),
    )
  })
})
