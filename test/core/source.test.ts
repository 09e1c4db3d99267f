import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { displayWidth } from "../../src/core/display-width.ts"
import { codeFrame } from "../../src/core/evidence/located-error.ts"
import { formatSource, positionAt } from "../../src/core/source.ts"

describe("positionAt", () => {
  test.each<[string, number, { line: number; column: number }]>([
    ["", 0, { line: 1, column: 1 }],
    ["abc", 2, { line: 1, column: 3 }],
    ["a\nbc", 3, { line: 2, column: 2 }],
    ["a\r\nb", 3, { line: 2, column: 1 }],
    ["a\rb\n\nc", 5, { line: 4, column: 1 }],
    ["😀文x", 3, { line: 1, column: 3 }],
    ["abc", 99, { line: 1, column: 4 }],
  ])("%j at %i", (text, offset, position) => {
    expect(positionAt(text, offset)).toEqual(position)
  })
})

describe("codeFrame", () => {
  const frame = (text: string, mark: string, options?: Parameters<typeof codeFrame>[2]) =>
    codeFrame(text, positionAt(text, text.indexOf(mark)), options)

  test("shows the lines around and a caret under the column", () => {
    expect(frame("one\ntwo ^ two\nthree\nfour", "^")).toBe("1 | one\n2 | two ^ two\n  |     ^\n3 | three")
  })

  test("numbers line up where they get longer", () => {
    const text = Array.from({ length: 12 }, (_, i) => (i === 9 ? "x ^" : `line ${i + 1}`)).join("\n")
    expect(frame(text, "^")).toBe(" 9 | line 9\n10 | x ^\n   |   ^\n11 | line 11")
  })

  test.each<[string, string, string]>([
    ["wide characters take two columns", "中文 ^", "      ^"],
    ["full-width forms and emoji too", "ＡＢ😀^", "       ^"],
    ["a joined emoji takes two in all", "👨‍👩‍👧^", "   ^"],
    ["marks take none", "e\u0301e\u0301^", "   ^"],
    ["a tab is one space", "\t\ta\t^", "     ^"],
    ["controls and bidi marks are one visible character each", "a\u001b\u202e\u0000^", "     ^"],
    ["narrow symbols take one", "→…·^", "    ^"],
  ])("%s", (_, line, padding) => {
    const [shown, caret] = frame(line, "^").split("\n")
    expect(caret).toBe(`  |${padding}`)
    expect(shown).toBe(`1 | ${line.replaceAll("\t", " ").replace(/[\p{Cc}\u202e]/gu, "\ufffd")}`)
  })

  test("the caret stands where the exact width has it, behind letters of every script", () => {
    const letters = Array.from({ length: 0x32000 / 41 }, (_, at) => String.fromCodePoint(41 * at)).filter((one) =>
      /\p{L}/u.test(one),
    )
    const rows = letters.map((letter) => frame(`a${letter}§`, "§").split("\n")[1] ?? "")
    expect(rows.map((row) => row.indexOf("^") - "  | a".length)).toEqual(letters.map(displayWidth))
  })

  test("CRLF and CR end lines like LF and leave nothing behind", () => {
    const text = "one\ntwo ^\nthree"
    for (const lineBreak of ["\r\n", "\r"]) expect(frame(text.replaceAll("\n", lineBreak), "^")).toBe(frame(text, "^"))
  })

  test("of a long line only the part around the column is shown, and the caret stays under it", () => {
    const text = `${"x".repeat(5000)}^${"y".repeat(5000)}`
    const [shown = "", caret = ""] = frame(text, "^").split("\n")
    expect(shown.length).toBeLessThanOrEqual(104)
    expect(shown.indexOf("^")).toBe(caret.indexOf("^"))
    expect(frame(text, "^", { widthColumns: 20 }).split("\n")[0]?.length).toBe(24)
  })

  test("a line is cut only if the column lies behind the width, and then begins half a width before it", () => {
    const line = Array.from({ length: 60 }, (_, at) => String.fromCharCode(97 + (at % 26))).join("")
    for (const widthColumns of [10, 11])
      for (let column = 1; column <= 60; column++) {
        const from = column > widthColumns ? column - Math.floor(widthColumns / 2) : 1
        const shown = line.slice(from - 1, from - 1 + widthColumns)
        expect(codeFrame(line, { line: 1, column }, { widthColumns })).toBe(`1 | ${shown}\n  | ${" ".repeat(column - from)}^`)
      }
  })

  test("a position behind the end of a line or of the text has its caret there", () => {
    expect(codeFrame("ab", { line: 1, column: 3 })).toBe("1 | ab\n  |   ^")
    expect(codeFrame("ab\n", { line: 2, column: 1 })).toBe("1 | ab\n2 | \n  | ^")
  })

  test("the caret stands under the very character, for any text of one column a character", () => {
    const text = fc
      .array(fc.constantFrom("a", "é", "\n", "\r\n", "\r", "→", " "), { maxLength: 60 })
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = frame(`${before}§${after}`, "§").split("\n")
        const caret = rows.findIndex((row) => /^ +\| +\^$/.test(row))
        expect([...(rows[caret - 1] ?? "")].indexOf("§")).toBe([...(rows[caret] ?? "")].indexOf("^"))
      }),
    )
  })
})

test("a source is printed with its column where it is known", () => {
  expect([formatSource({ file: "a.md", line: 2 }), formatSource({ file: "a.md", line: 2, column: 3 })]).toEqual([
    "a.md:2",
    "a.md:2:3",
  ])
})
