import { describe, expect, test } from "vitest"
import { type QuoteFate, QuoteLookahead, type QuotePlace } from "../../../src/reply/json/quote-lookahead.ts"

/** The fate of a quote before `after`, and how many characters it took to tell. */
function fateOf(after: string, place: Partial<QuotePlace>): { fate: QuoteFate; seen: number } {
  const lookahead = new QuoteLookahead({ inside: "object", quotes: '"', isOpen: false, mayPrecede: "nothing", ...place })
  for (const [index, character] of [...after].entries()) {
    const fate = lookahead.feed(character)
    if (fate !== undefined) return { fate, seen: index + 1 }
  }
  return { fate: lookahead.end(), seen: after.length }
}

const open = { isOpen: true }
const array = { inside: "array" } as const

const fates: readonly (readonly [after: string, place: Partial<QuotePlace>, fate: QuoteFate])[] = [
  ["}", {}, "closes"],
  [" \n]", {}, "closes"],
  ["", {}, "closes"],
  [',"n":1', {}, "closes"],
  [", n : 1", {}, "closes"],
  [",,\n “n”：1", {}, "closes"],
  [",}", {}, "closes"],
  [' "n":1', {}, "closes"],
  ['"n":1', {}, "closes"],
  [" n: 1", {}, "closes"],
  [' // a "b"\n, "n":1', {}, "closes"],
  [" # a\n}", {}, "closes"],
  ["\n```", {}, "closes"],
  ["hi", {}, "inner"],
  ["好", {}, "inner"],
  ["/path", {}, "inner"],
  ["#1 fan", {}, "inner"],
  [" and", {}, "unclear"],
  [" and", { mayPrecede: "words" }, "closes"],
  [" {", {}, "unclear"],
  [" {", { mayPrecede: "objects" }, "closes"],
  [":", {}, "unclear"],
  [".", {}, "unclear"],
  [", and so", {}, "unclear"],
  [", an", {}, "closes"],
  [" and", open, "inner"],
  ["。", open, "inner"],
  [", and then", open, "inner"],
  [", see C:\\x", open, "inner"],
  [", http://x", open, "inner"],
  ['"}', open, "inner"],
  [" two: 2", open, "inner"],
  ["：", open, "inner"],
  ["}", open, "unclear"],
  [",n:1", open, "unclear"],
  [',"n":1', open, "unclear"],
  [":", open, "unclear"],
  ["", open, "unclear"],
  [', "b"', array, "closes"],
  [",1", array, "closes"],
  [", true]", array, "closes"],
  [' "b"]', array, "closes"],
  [' "b" c', array, "unclear"],
  [" {", array, "closes"],
  [', "b"', { ...array, ...open }, "unclear"],
  [", then go", { ...array, ...open }, "inner"],
]

describe("what a quote is", () => {
  test.each(fates)("T21: before %j, at %j, it %s", (after, place, fate) => {
    expect(fateOf(after, place).fate).toBe(fate)
  })

  test("T23: it is told with the first character that tells", () => {
    expect(fateOf('}"', {}).seen).toBe(1)
    expect(fateOf("hi", {}).seen).toBe(1)
    expect(fateOf(',"note":"x"', {}).seen).toBe(8)
  })
})

test.each([
  [64, false, "closes", "closes"],
  [65, false, "unclear", "closes"],
  [64, true, "unclear", "unclear"],
  [65, true, "inner", "inner"],
])(
  "a name of %d characters behind a quote, of which one is open: %s, is read as %s, in quotes as %s",
  (length, isOpen, ...expected) => {
    const name = "n".repeat(length)
    expect([`,${name}:1`, `,"${name}":1`].map((after) => fateOf(after, { isOpen }).fate)).toEqual(expected)
  },
)
