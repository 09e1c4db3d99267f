import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fold } from "../../../src/prompt/encode/fold.ts"
import { anyText } from "./arbitrary-text.ts"

describe("fold", () => {
  test.each([
    ["upper case", "[MEMORY CONTEXT]", "[memory context]"],
    ["full width", "＊＊系统设定＊＊", "**系统设定**"],
    ["zero-width characters", "-\u200b-\u2060-\ufeff", "---"],
    ["a soft hyphen", "--\u00ad-", "---"],
    ["tag characters", "-\u{e0041}--\u{e007f}", "---"],
    ["bidi controls", "\u202e---\u202c", "---"],
    ["C0 and C1 controls", "\u0000-\u001b-\u009b-\u007f", "---"],
    ["combining marks", "-\u0301-\u20dd-", "---"],
    ["composed accents", "[ḿémôry context]", "[memory context]"],
    ["variation selectors", "#\ufe0f#\u{e0101} key", "## key"],
    ["every dash", "—–‐‑‒―−﹣－─", "----------"],
    ["every colon", "∶꞉ː˸﹕：︓:", "::::::::"],
    ["blanks of every kind", "\t a\u00a0\u3000b\u2003c\u2800 ", "a b c"],
    ["Hangul fillers", "-\u3164-\uffa0-", "---"],
    ["the other backticks", "｀\u1fef`", "```"],
    ["sharp s and final sigma", "STRASSE ΟΔΟΣ straße οδοσ", "strasse οδοσ strasse οδοσ"],
  ])("evens out %s", (_what, line, seen) => {
    expect(fold(line)).toBe(seen)
  })

  test("leaves a plain line of ASCII or Han as it is, in lower case", () => {
    expect(fold("  Call  me Fay、主人 ")).toBe("call me fay、主人")
  })

  test("the short way for plain lines gives what the long way gives, in either width", () => {
    const plain = [
      [0x20, 0x7e],
      [0x2018, 0x201d],
      [0x3001, 0x3002],
      [0x300a, 0x3011],
      [0x4e00, 0x4eff],
      [0xff01, 0xff5e],
    ] as const
    for (const [first, last] of plain) {
      for (let code = first; code <= last; code++) {
        const line = `a ${String.fromCodePoint(code)}B`
        expect(fold(line)).toBe(fold(`${line}\u200b`))
      }
    }
  })

  test("folding twice changes nothing more", () => {
    fc.assert(fc.property(anyText, (text) => fold(fold(text)) === fold(text)))
  })

  test("folding twice changes nothing more for any character that has a case, a mark or another width, also between others", () => {
    const unstable: string[] = []
    for (let code = 0; code <= 0x1ffff; code++) {
      if (code >= 0x3400 && code <= 0xd7ff) continue
      for (const text of [String.fromCodePoint(code), `a${String.fromCodePoint(code)}b`]) {
        if (fold(fold(text)) !== fold(text)) unstable.push(`U+${code.toString(16)}`)
      }
    }
    expect(unstable).toEqual([])
  })
})
