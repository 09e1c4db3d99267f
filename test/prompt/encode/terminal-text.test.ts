import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createTerminalReader } from "../../../src/apps/cli/chat/event-printer.ts"
import { terminalLine, terminalText } from "../../../src/prompt/encode/terminal-text.ts"

/** Text with many characters that act on a terminal. */
const wild = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\r",
        "\n",
        "\r\n",
        "\u001b[31m",
        "\u009b2J",
        "\u0085",
        "\u202e",
        "🏴",
        "\u{e0067}",
        "\u{e007f}",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "\b",
      ),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    ),
  )
  .map((parts) => parts.join(""))

describe("text on its way to a terminal", () => {
  test("holds nothing that acts on one", () => {
    fc.assert(fc.property(wild, (text) => !/[\p{Cc}--[\t\n]]|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/v.test(terminalText(text))))
  })

  test.each([
    ["an escape sequence", "\u001b[2Jgone", "[2Jgone"],
    ["a C1 sequence", "\u009b2Jgone", "2Jgone"],
    ["a carriage return that would overwrite the line", "paid 1000\rpaid 1", "paid 1000\npaid 1"],
    ["a title", "\u001b]0;evil\u0007x", "]0;evilx"],
    ["line breaks of every kind", "a\r\nb\vc\u2028d\u0085e", "a\nb\nc\nd\ne"],
    ["a break that something hidden parts, as when it comes in two pieces", "a\r\u{e007f}\nb", "a\n\nb"],
    ["a backspace", "ok\b\bno", "okno"],
    ["words in any script", "现在几点？ 👩‍👩‍👧 é", "现在几点？ 👩‍👩‍👧 é"],
  ])("%s", (_, text, shown) => {
    expect(terminalText(text)).toBe(shown)
  })

  test("comes out the same however a stream is cut, flags and line breaks whole", () => {
    fc.assert(
      fc.property(wild, fc.array(fc.nat(40), { maxLength: 8 }), (text, cuts) => {
        const characters = [...text]
        const reader = createTerminalReader()
        const shown: string[] = []
        let at = 0
        for (const size of cuts) {
          shown.push(...reader.push(characters.slice(at, at + size).join("")))
          at += size
        }
        shown.push(...reader.push(characters.slice(at).join("")), ...reader.end())
        expect(shown.join("")).toBe(terminalText(text))
        expect([...reader.end()].join(""), "what was held is shown once").toBe("")
      }),
    )
  })
})

describe("text on one line", () => {
  test("shows its line breaks and is cut between characters", () => {
    expect(terminalLine("a\r\nb\tc")).toBe("a ⏎ b c")
    expect(terminalLine("😀".repeat(5), 3)).toBe("😀😀😀…")
    expect(terminalLine("x".repeat(5_000_000), 10)).toBe("xxxxxxxxxx…")
  })
})
