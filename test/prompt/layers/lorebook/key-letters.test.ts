import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createWorldBook } from "../../../../src/prompt/layers/character/world-book.ts"
import type { Lorebook } from "../../../../src/prompt/layers/lorebook/lorebook.ts"
import { createLoreScanner } from "../../../../src/prompt/layers/lorebook/scan.ts"

const bookOf = (key: string, more: Partial<Lorebook["entries"][number]> = {}): Lorebook => ({
  entries: [{ id: "e", keys: [key], order: 0, text: { text: "About it.", trust: "user" }, ...more }],
})
const fires = (book: Lorebook, text: string): boolean =>
  createLoreScanner(book).scan({ messages: [{ text }], random: () => 0.5 }).entries.length > 0

/** Words that differ in a mark, an accent or a width, each with a text that has the other word alone. */
const pairs = [
  ["ばら", "はらへった"],
  ["パン", "ハンド"],
  ["がく", "かくれる"],
  ["ปี", "ไปป่า"],
  ["น้ำ", "นำทาง"],
  ["कल", "काली"],
  ["दिन", "दान दन"],
  ["мой", "мои друзья"],
  ["ёлка", "елка"],
  ["resume", "ein Résumé"],
  ["año", "un ano"],
  ["கல", "கால் கில்"],
  ["שִׂ", "שׁ"],
  ["ﾊﾝ", "ハン"],
] as const

const forms = ["NFC", "NFD"] as const

describe("C21: a key keeps its letters", () => {
  test.each(pairs)("%s does not fire in %s, in no normal form", (key, text) => {
    for (const keyForm of forms)
      for (const form of forms) {
        const book = bookOf(key.normalize(keyForm))
        expect(fires(book, text.normalize(form))).toBe(false)
        expect(fires(book, `${text} ${key}`.normalize(form))).toBe(true)
        const search = { maxEntries: 5, maxCharacters: 1_000, turn: 0, turnId: "t", state: {} }
        const world = createWorldBook(bookOf(key.normalize(keyForm), { wholeWords: true }))
        expect(world({ ...search, texts: [text.normalize(form)] }).entries).toEqual([])
        expect(world({ ...search, texts: [`${text} ${key}`.normalize(form)] }).entries).toHaveLength(1)
      }
  })

  test("and fires in every text that holds it, in any case and normal form", () => {
    const letters = [..."aéßÅσςΣΐᾳİıÑñ가힣ばパ龙😀", "й", "ё", "ี", "น้ำ", "का", "ﬁ", "Ǆ", "\u1e9b\u0323", "e\u0323\u0302"]
    const word = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 6 }).map((all) => `x${all.join("")}`)
    const changed = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toUpperCase(),
      (text: string) => text.toLowerCase(),
    )
    const form = fc.constantFrom(...forms)
    fc.assert(
      fc.property(word, word, word, changed, form, form, (before, key, after, change, keyForm, textForm) => {
        const text = change(`${before}${key} ${after}`).normalize(textForm)
        expect(fires(bookOf(key.normalize(keyForm)), text)).toBe(true)
        const same = `${before}${key} ${after}`.normalize(textForm)
        expect(fires(bookOf(key.normalize(keyForm), { caseSensitive: true }), same)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test("accents of Latin and Greek letters make no difference by option; other marks still do", () => {
    const ignoring = (key: string) => ({ ...bookOf(key), ignoreAccents: true })
    expect(fires(ignoring("cafe"), "ein CAFÉ")).toBe(true)
    expect(fires(ignoring("café"), "ein cafe")).toBe(true)
    expect(fires(ignoring("λογος"), "ο λόγος")).toBe(true)
    for (const [key, text] of [pairs[0], pairs[3], pairs[5], pairs[7]]) expect(fires(ignoring(key), text)).toBe(false)
  })

  test("a whole word does not end before a vowel sign", () => {
    const whole = (key: string) => bookOf(key, { wholeWords: true })
    expect(fires(whole("काल"), "काली")).toBe(false)
    expect(fires(whole("fay"), "❤️fay❤️")).toBe(true)
  })

  test("a hundred thousand marks in a row are compared by the first ones", () => {
    expect(fires(bookOf("fay"), `${"\u0301\u0323".repeat(200_000)} fay`)).toBe(true)
  })
})
