import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { indexKeys } from "../../../../src/prompt/layers/lorebook/key-index.ts"
import { runs } from "../../../support/size.ts"

/** True for each place at which the key stands, if it stands there as a whole word. */
function places(key: string, text: string): readonly boolean[] {
  const found: boolean[] = []
  const entry = { id: "e", text: { text: "", trust: "author" }, keys: [key], caseSensitive: true, order: 0 } as const
  indexKeys([entry]).search(text, { left: 1, leftOut: new Set() }, (_, wholeWord) => found.push(wholeWord))
  return found
}

/** A letter or a digit of a script with spaces between words. */
const isSpaced = (character = "") =>
  /[\p{L}\p{N}]/u.test(character) &&
  !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]/u.test(character)

/** The same by the characters before, in and behind each place. */
function slowPlaces(key: string, text: string): readonly boolean[] {
  const [letters, all] = [[...key], [...text]]
  return all.flatMap((_, at) => {
    if (!letters.every((letter, index) => all[at + index] === letter)) return []
    const end = at + letters.length
    const opens = isSpaced(letters[0]) && isSpaced(all[at - 1])
    const closes = isSpaced(letters.at(-1)) && isSpaced(all[end])
    return [!opens && !closes]
  })
}

describe("C13: a key stands as a whole word", () => {
  test("beside every character of ASCII that is no letter and no digit", () => {
    for (let code = 0; code < 0x100; code++) {
      const character = String.fromCharCode(code)
      const isWord = !/[\p{L}\p{N}]/u.test(character)
      expect([places("fay", `${character}fay`), places("fay", `fay${character}`)], `${code}`).toEqual([[isWord], [isWord]])
    }
  })

  test("where a reading by whole characters says so, letters of two UTF-16 units and halves of pairs too", () => {
    const character = fc.constantFrom(
      ..."aZ09@[`{/: é龙ァ가ก",
      "ー",
      "𐐨",
      "𐀀",
      "😀",
      "𠀀",
      "\ud83d",
      "\ude00",
      "\ue000",
      "\uffff",
      "\u0080",
    )
    const word = fc.array(character, { minLength: 1, maxLength: 2 }).map((parts) => parts.join("").toWellFormed())
    const around = fc.array(character, { maxLength: 3 }).map((parts) => parts.join(""))
    fc.assert(
      fc.property(word, around, around, (key, before, after) => {
        fc.pre(key.trim() === key)
        const text = `${before}${key}${after}`
        expect(places(key, text)).toEqual(slowPlaces(key, text))
      }),
      { numRuns: runs(20_000) },
    )
  })
})
