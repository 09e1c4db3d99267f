import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fold } from "../../../../src/prompt/encode/fold.ts"
import { createWorldBook } from "../../../../src/prompt/layers/character/world-book.ts"
import type { LoreEntry } from "../../../../src/prompt/layers/lorebook/lorebook.ts"

const entry = (title: string, given: Partial<LoreEntry> = {}): LoreEntry => ({
  id: title,
  title,
  keys: [title],
  wholeWords: true,
  order: 100,
  priority: -(given.order ?? 100),
  text: { text: `About ${title}.`, trust: "author" },
  ...given,
})
const bookOf = (entries: readonly LoreEntry[]) => createWorldBook({ entries, scanDepth: 9 })
const first = { turn: 0, turnId: "t", state: {} }
const titles = (entries: readonly LoreEntry[]) => entries.map(({ title }) => title)
const roomy = { maxEntries: 100, maxCharacters: 1_000_000, ...first }
const has = (text: string, key: string) => bookOf([entry(key)])({ texts: [text], ...roomy }).entries.length === 1

describe("a key of the world book", () => {
  test.each([
    ["FAY!", "fay"],
    ["我叫Fay吗", "fay"],
    ["去旧书店看看", "旧书"],
    ["a cafe\u0301 on the corner", "CAFÉ"],
    ["Fay's cat", "fay"],
    ["Mulberry Lane", "mulberry lane"],
    ["fayette, then fay", "fay"],
    ["こんにちは猫ちゃん", "猫"],
    ["페이는 어디 있어", "페이"],
    ["in 1984 it was", "1984"],
    ["C++ is hard", "c++"],
  ])("is found in %j: %j", (text, key) => {
    expect(has(text, key)).toBe(true)
  })

  test.each([
    ["fayette", "fay"],
    ["a wildcat", "cat"],
    ["19845", "1984"],
    ["котлета", "кот"],
    ["书店", "旧书"],
    ["𝒳cat", "cat"],
    ["ｆａｙ在吗", "Fay"],
    ["a café on the corner", "CAFE"],
    ["Mulberry\n  Lane", "mulberry lane"],
    ["f\u200bay", "fay"],
    ["anything", "\u200b"],
    ["", "a"],
  ])("is not found in %j: %j", (text, key) => {
    expect(has(text, key)).toBe(false)
  })

  test("takes no more than linear time for a text that nearly has it everywhere", () => {
    const text = "cat".repeat(200_000)
    expect(has(text, "cat")).toBe(false)
    expect(has(`${text} cat`, "cat")).toBe(true)
  })
})

describe("a world book", () => {
  test("gives what is spoken of, in the question or before it, by priority and then as it stands in the book", () => {
    const book = bookOf([entry("sea"), entry("moon", { order: 5 }), entry("cat"), entry("tree")])
    const found = book({ texts: ["the cat looks at the sea", "the moon"], ...roomy })
    expect(titles(found.entries)).toEqual(["moon", "sea", "cat"])
    expect(found.leftOut).toEqual([])
  })

  test("gives what enters always first where there is little room, and says what it left out", () => {
    const book = bookOf([entry("a"), entry("b", { order: 1 }), entry("town", { keys: [], constant: true, order: 200 })])
    const found = book({ texts: ["a b"], maxEntries: 2, maxCharacters: 1_000, ...first })
    expect(titles(found.entries)).toEqual(["b", "town"])
    expect(titles(found.leftOut)).toEqual(["a"])
  })

  test("passes over an entry that is too long and goes on with shorter ones", () => {
    const long = entry("a", { text: { text: "x".repeat(500), trust: "author" } })
    const found = bookOf([long, entry("b")])({ texts: ["a b"], maxEntries: 9, maxCharacters: 100, ...first })
    expect([titles(found.entries), titles(found.leftOut)]).toEqual([["b"], ["a"]])
  })

  const words = ["fay", "cat", "书", "书店", "Café", "über", "sea side", "1984", "猫"]
  const anyEntry = fc.record({
    id: fc.constant(""),
    wholeWords: fc.constant(true),
    keys: fc.array(fc.constantFrom(...words), { maxLength: 3 }),
    constant: fc.boolean(),
    order: fc.integer({ min: 0, max: 3 }),
    title: fc.string({ maxLength: 5 }),
    text: fc.record({ text: fc.string({ minLength: 1, maxLength: 30 }), trust: fc.constant("author" as const) }),
  })
  const anyTexts = fc.array(
    fc
      .array(fc.oneof(fc.constantFrom(...words, " ", "ette", "s", "\n"), fc.string({ maxLength: 3 })), { maxLength: 6 })
      .map((all) => all.join("")),
    { maxLength: 3 },
  )

  test("never gives an entry of which no key occurs, keeps both bounds, loses none and keeps their order", () => {
    fc.assert(
      fc.property(
        fc.array(anyEntry, { maxLength: 8 }),
        anyTexts,
        fc.record({ maxEntries: fc.integer({ min: 1, max: 5 }), maxCharacters: fc.integer({ min: 1, max: 120 }) }),
        (given, texts, room) => {
          const { entries, leftOut } = bookOf(given)({ texts, ...room, ...first })
          // Checked with a looser rule than the book's: an entry must not be found if its key is nowhere in the text.
          const occurs = (key: unknown) => texts.some((text) => fold(text).includes(fold(String(key))))
          for (const { keys, constant } of [...entries, ...leftOut]) expect(constant || keys.some(occurs)).toBe(true)
          expect(entries.length).toBeLessThanOrEqual(room.maxEntries)
          expect(entries.reduce((sum, { title = "", text }) => sum + title.length + text.text.length, 0)).toBeLessThanOrEqual(
            room.maxCharacters,
          )
          const all = bookOf(given)({ texts, ...roomy }).entries
          expect(new Set([...entries, ...leftOut])).toEqual(new Set(all))
          expect(entries).toEqual(all.filter((one) => entries.includes(one)))
        },
      ),
    )
  })
})
