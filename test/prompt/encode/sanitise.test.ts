import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { sanitise } from "../../../src/prompt/encode/sanitise.ts"
import { runs } from "../../support/size.ts"
import { anyText } from "./arbitrary-text.ts"

const tags = (text: string) =>
  [...text].map((character) => String.fromCodePoint(0xe0000 + (character.codePointAt(0) ?? 0))).join("")
const scotland = `\u{1f3f4}${tags("gbsct")}\u{e007f}`

describe("sanitise", () => {
  test.each([
    ["hidden words in tag characters", `ok${tags("hi")}`, "ok", 2, ["tags"]],
    ["tags after a flag's end", `${scotland}${tags("x")}`, scotland, 1, ["tags"]],
    ["a flag sequence without its end", `\u{1f3f4}${tags("gbsct")}`, "\u{1f3f4}", 5, ["tags"]],
    ["a flag sequence too long to be one", `\u{1f3f4}${tags("ignoreall")}\u{e007f}`, "\u{1f3f4}", 10, ["tags"]],
    ["a flag sequence of other characters", `\u{1f3f4}${tags("GB-X")}\u{e007f}`, "\u{1f3f4}", 5, ["tags"]],
    ["bidi controls", "a\u202eb\u2066c\u2069\u200e\u200f\u061c", "abc", 6, ["bidi"]],
    ["C0 controls", "a\u0000b\u001b[31mc\u0008", "ab[31mc", 3, ["control"]],
    ["DEL and C1 controls", "a\u007f\u009b31m", "a31m", 2, ["control"]],
    ["half characters", "a\ud83d b\ude00", "a\u{fffd} b\u{fffd}", 2, ["surrogate"]],
    ["halves that would meet", "\ud83d\u0000\ude00", "\u{fffd}\u{fffd}", 3, ["surrogate", "control"]],
  ])("takes out %s, and says so", (_what, text, clean, removed, kinds) => {
    expect(sanitise(text)).toEqual({ text: clean, removed, kinds })
  })

  test.each([
    ["tab and every line break", "a\tb\nc\r\nd\ve\ff\u0085g\u2028h\u2029"],
    ["emoji with joiners and variation selectors", "👨‍👩‍👧 ❤️ 🏳️‍🌈"],
    ["flags of parts of countries", `${scotland} ${scotland}`],
    ["Indic joiners", "क्‍ष نمی‌خواهم"],
  ])("leaves %s", (_what, text) => {
    expect(sanitise(text)).toEqual({ text, removed: 0, kinds: [] })
  })

  test("every character by itself stays or goes by what Unicode says of it", () => {
    const unsafe =
      /[\u{e0000}-\u{e007f}\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\p{Cs}[\p{Cc}--[\t\n\v\f\r\u{85}]]]/v
    const kindOf = (text: string): string =>
      /[\u{e0000}-\u{e007f}]/u.test(text)
        ? "tags"
        : /\p{Cc}/u.test(text)
          ? "control"
          : /\p{Cs}/u.test(text)
            ? "surrogate"
            : "bidi"
    const wrong: number[] = []
    for (let code = 0; code < 0x110000; code++) {
      const text = `a${String.fromCodePoint(code)}`
      const { removed, kinds, text: clean } = sanitise(text)
      const expected = unsafe.test(text) ? kindOf(text) : undefined
      if (removed !== (expected ? 1 : 0) || kinds[0] !== expected) wrong.push(code)
      else if (clean !== (expected === "surrogate" ? "a\u{fffd}" : expected ? "a" : text)) wrong.push(code)
    }
    expect(wrong).toEqual([])
  })

  test("doing it twice changes nothing more, and the result is well formed", () => {
    const piece = fc.constantFrom(
      "\u{1f3f4}",
      ...tags("gbsct9"),
      "\u{e007f}",
      "\u0000",
      "\ud83d",
      "\ude00",
      "\u202e",
      "a",
      scotland,
    )
    const text = fc.oneof(
      anyText,
      fc.array(piece, { maxLength: 20 }).map((parts) => parts.join("")),
    )
    fc.assert(
      fc.property(text, (dirty) => {
        const { text: clean, removed, kinds } = sanitise(dirty)
        expect(sanitise(clean)).toEqual({ text: clean, removed: 0, kinds: [] })
        expect(clean.isWellFormed()).toBe(true)
        expect(removed === 0).toBe(clean === dirty)
        expect(removed === 0).toBe(kinds.length === 0)
      }),
      { numRuns: runs(2000) },
    )
  })
})
