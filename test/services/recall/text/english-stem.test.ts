import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { englishStem } from "../../../../src/services/recall/text/english-stem.ts"
import { fourGrams, wordTerm } from "../../../../src/services/recall/text/word-term.ts"

const families: readonly (readonly string[])[] = [
  ["museum", "museums", "museum's"],
  ["run", "runs", "running", "ran"],
  ["paint", "paints", "painted", "painting", "paintings"],
  ["hope", "hopes", "hoped", "hoping"],
  ["city", "cities"],
  ["happy", "happily", "happiness", "glad"],
  ["go", "went", "gone"],
  ["buy", "bought", "buying", "purchase"],
  ["child", "children", "kids", "kid"],
  ["mother", "mom", "mum", "moms"],
  ["agree", "agreed", "agreeing"],
  ["relate", "relational", "relating"],
  ["adopt", "adopted", "adoption", "adopting"],
  ["volunteer", "volunteered", "volunteering"],
  ["class", "classes"],
  ["box", "boxes"],
  ["photo", "picture", "photos", "pic"],
  ["cafe", "cafes"],
  ["movie", "film", "films"],
]

describe("a word's term", () => {
  test.each(families.map((family) => [family.join(", "), family] as const))("is one for %s", (_, family) => {
    expect(new Set(family.map(wordTerm)).size).toBe(1)
  })

  test.each([
    ["sing", "sink"],
    ["sea", "see"],
    ["universe", "museum"],
    ["hope", "hop"],
    ["paint", "pain"],
  ])("differs for %s and %s", (one, other) => {
    expect(wordTerm(one)).not.toBe(wordTerm(other))
  })

  test("of a word that is no English is the word", () => {
    expect(["über", "привет", "a1b2", "ab"].map(englishStem)).toEqual(["über", "привет", "a1b2", "ab"])
  })

  test("is short for any word, however long and odd", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z']{1,200}$/), (word) => {
        expect(wordTerm(word).length).toBeLessThanOrEqual(42)
        expect(fourGrams(word).every((gram) => gram.length === 4)).toBe(true)
      }),
    )
  })
})
