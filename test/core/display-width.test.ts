import fc from "fast-check"
import stringWidth from "string-width"
import { expect, test } from "vitest"
import { displayWidth } from "../../src/core/display-width.ts"
import { isLong, runs } from "../support/size.ts"

test.each<[string, number]>([
  ["", 0],
  ["plain text", 10],
  ["主人", 4],
  ["Ａ，。「」", 10],
  ['chat --once "帮我算 17*23"', 26],
  ["한국어", 6],
  ["かな カナ", 9],
  ["e\u0301a\u200b", 2],
  ["→ … · ⏎ °", 9],
  ["😀", 2],
  ["👨‍👩‍👧", 2],
  ["🇨🇳", 2],
  ["👍🏽", 2],
  ["❤️", 2],
])("%j takes %i columns", (text, columns) => {
  expect(displayWidth(text)).toBe(columns)
})

const many = isLong ? /[\P{Assigned}\p{Private_Use}]/v : /[\P{Assigned}\p{Private_Use}\p{Ideographic}\p{Script=Hangul}]/v

// If Unicode's tables have changed, `string-width` tells by this test; its ranges stand in display-width.ts.
test("every character takes the columns that the package `string-width` counts", () => {
  const different: string[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    // Of characters that are not assigned yet, and of ideographs and syllables unless the run is long, some are enough.
    if (code % 64 !== 0 && many.test(character)) continue
    if (displayWidth(character) !== stringWidth(character)) different.push(code.toString(16))
  }
  expect(different).toEqual([])
})

test("so do texts of words, marks, syllables and emoji", () => {
  const part = fc.constantFrom(
    ...[
      "a",
      "é",
      "e\u0301",
      "主",
      "，",
      "한",
      "\u1112\u1161\u11ab",
      "か\u3099",
      "ﾊﾞ",
      "नि",
      "กำ",
      "→",
      "·",
      "—",
      "“",
      "\u200b",
      "\u00ad",
      " ",
    ],
    ...["😀", "👍🏽", "👨\u200d👩\u200d👧", "🇨🇳", "❤\ufe0f", "⌚\ufe0e", "1\ufe0f\u20e3", "🏴\u200d☠\ufe0f", "☠", "\u{1f3f4}"],
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join(" ")
      expect(displayWidth(text)).toBe(stringWidth(text))
    }),
    { numRuns: runs(300) },
  )
})

test("so do texts of any characters, with escape sequences, skin tones, signs and halves of pairs", () => {
  const part = fc.oneof(
    fc.constantFrom("\u001b[31m", "\u001b", "\u009b1m", "\u001b]8;;x\u0007", "\u{1f3fd}", "\u200d", "\ufe0f", "\ufe0e", "\u0600"),
    fc.constantFrom("\ud83d", "\udc4d", "\u{16d67}", "\u{16d68}", "\u1112", "\u1161", "\u115f", "👍", "☝", "🇨", "1", "主", "\n"),
    fc.string({ unit: "binary", maxLength: 2 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join("")
      expect(displayWidth(text)).toBe(stringWidth(text))
    }),
    { numRuns: runs(1_000) },
  )
})
