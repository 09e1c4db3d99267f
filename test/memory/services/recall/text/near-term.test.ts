import fc from "fast-check"
import { expect, test } from "vitest"
import { isNearTerm } from "../../../../../src/memory/services/recall/text/near-term.ts"

/** The words that one misspelling makes of a word. */
function misspelt(word: string, letters: string): Set<string> {
  const found = new Set<string>()
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    found.add(before + after.slice(1))
    if (after.length > 1) found.add(`${before}${after.charAt(1)}${after.charAt(0)}${after.slice(2)}`)
    for (const letter of letters) found.add(before + letter + after).add(before + letter + after.slice(1))
  }
  found.delete(word)
  return found
}

test("words are near that one misspelling makes of each other, of five letters or more, with the same first one", () => {
  const words = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(words, words, (a, b) => {
      const near = misspelt(a, "abc").has(b) && Math.min(a.length, b.length) >= 5 && a.charAt(0) === b.charAt(0)
      expect(isNearTerm(a, b)).toBe(near)
      expect(isNearTerm(b, a)).toBe(near)
    }),
    { numRuns: 3_000 },
  )
  for (const near of misspelt("abcabc", "abc")) expect(isNearTerm("abcabc", near)).toBe(near.startsWith("a") && near.length >= 5)
})

test("numbers are near to nothing: another digit is another thing", () => {
  expect(isNearTerm("5550142", "5550143")).toBe(false)
  expect(isNearTerm("w17rd", "w18rd")).toBe(false)
})
