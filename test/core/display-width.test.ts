import { expect, test } from "vitest"
import { displayWidth } from "../../src/core/graphemes.ts"

test.each<[string, number]>([
  ["", 0],
  ["plain text", 10],
  ["主人", 4],
  ["Ａ，。「」", 10],
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
