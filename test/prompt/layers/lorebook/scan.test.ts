import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { knownTexts } from "../../../../src/prompt/layers/lorebook/key-index.ts"
import type { Lorebook, LoreEntry } from "../../../../src/prompt/layers/lorebook/lorebook.ts"
import { createLoreScanner } from "../../../../src/prompt/layers/lorebook/scan.ts"
import type { LoreTurn } from "../../../../src/prompt/layers/lorebook/turn.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { arbitraryBook, arbitraryLoreTurn } from "./arbitrary-book.ts"
import { plainScan } from "./plain-scan.ts"

const lore = (id: string, given: Partial<LoreEntry> = {}): LoreEntry => ({
  id,
  keys: [id],
  order: 100,
  text: { text: `About ${id}.`, trust: "user" },
  ...given,
})
const says = (...texts: string[]) => texts.map((text) => ({ text }))
const scan = (book: Lorebook, turn: Partial<LoreTurn>) =>
  createLoreScanner(book).scan({ messages: [], random: () => 0.5, ...turn })
const ids = (book: Lorebook, turn: Partial<LoreTurn>) => scan(book, turn).entries.map(({ id }) => id)
const outcomes = (book: Lorebook, turn: Partial<LoreTurn>) =>
  Object.fromEntries(scan(book, turn).reports.map(({ entry, outcome }) => [entry.id, outcome]))

describe("C32 the work of patterns", () => {
  const entries = Array.from({ length: 9 }, (_, at) => lore(`${at}`, { keys: [{ source: `[ab]+[cd]{${at + 1}}e`, flags: "" }] }))
  const older = entries.map((_, at) => `a${"c".repeat(at + 1)}e`).join(" ")
  const messages = says(older, `${"ab".repeat(500)}ce`)

  test("is bounded in a turn, the newest message first, and what was left out is told", () => {
    const free = scan({ entries }, { messages })
    expect([free.cut, free.entries.length]).toEqual([undefined, 9])
    const { cut, entries: found } = scan({ entries }, { messages, patternWork: 100_000 })
    expect(found.map(({ id }) => id)).toEqual(["0"])
    expect(cut).toBe(
      "The texts are too long for so many patterns: 8 were not searched for in all of them, such as /[ab]+[cd]{4}e/, /[ab]+[cd]{5}e/, /[ab]+[cd]{6}e/.",
    )
  })
})

describe("C36 texts that are known", () => {
  test("are not searched again: a pattern that had no work left goes on where it stopped, until none is left out", () => {
    const entries = Array.from({ length: 9 }, (_, at) =>
      lore(`${at}`, { keys: [{ source: `[ab]+[cd]{${at + 1}}e`, flags: "" }] }),
    )
    const older = entries.map((_, at) => `a${"c".repeat(at + 1)}e`).join(" ")
    const messages = says(`${older} ${"ab".repeat(30)}`, `${"ab".repeat(500)}ce`)
    const scanner = createLoreScanner({ entries })
    const known = knownTexts()
    const turns = [1, 2, 3, 4].map(() => scanner.scan({ messages, random: () => 0.5, patternWork: 150_000, known }))
    expect(turns.map(({ entries: found }) => found.length)).toEqual([1, 3, 9, 9])
    expect(turns.map(({ cut }) => cut === undefined)).toEqual([false, false, true, true])
  })

  test("give the same entries and reports as a search of all, for any book in a chat that grows and is edited", () => {
    const chat = fc.array(arbitraryLoreTurn, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(arbitraryBook, chat, (book, turns) => {
        const scanner = createLoreScanner(book)
        const known = knownTexts()
        for (const { seed, max, ...given } of turns) {
          const room = max === undefined ? undefined : { max, sizeOf: ({ text }: LoreEntry) => text.text.length }
          const scanAll = scanner.scan({ ...given, room, random: mulberry32(seed) })
          expect(scanner.scan({ ...given, room, random: mulberry32(seed), known })).toEqual(scanAll)
        }
      }),
      { numRuns: runs(20_000), seed: seedOf(22) },
    )
  })
})

describe("which entries are in", () => {
  test("C13: those of which a primary key occurs in the newest messages, by the entry's own depth or the book's", () => {
    const entries = [lore("cat"), lore("dog", { scanDepth: 3 }), lore("sea"), lore("moon", { caseSensitive: true })]
    const messages = says("a DOG and the sea", "well", "the CAT and the Moon")
    expect(ids({ entries }, { messages })).toEqual(["cat", "dog"])
    expect(ids({ entries, scanDepth: 3 }, { messages })).toEqual(["cat", "dog", "sea"])
  })

  test("C13: as whole words where asked for; a key in Chinese may stand anywhere", () => {
    const whole = { wholeWords: true }
    const entries = [lore("cat"), lore("at", whole), lore("旧书", whole), lore("fay", whole), lore("𝒳cat", whole)]
    expect(ids({ entries }, { messages: says("a wildcat in 旧书店, 我叫Fay吗") })).toEqual(["cat", "旧书", "fay"])
    // A letter of two UTF-16 units before a key is a letter, too; a picture is none.
    expect(ids({ entries: [lore("fay", whole)] }, { messages: says("𐐨fay") })).toEqual([])
    expect(ids({ entries: [lore("fay", whole)] }, { messages: says("😀fay") })).toEqual(["fay"])
  })

  test.each([
    ["andAny", ["a", "a x", "a x y"], ["a x", "a x y"]],
    ["notAll", ["a", "a x", "a x y"], ["a", "a x"]],
    ["notAny", ["a", "a x", "a x y"], ["a"]],
    ["andAll", ["a", "a x", "a x y"], ["a x y"]],
  ] as const)("C13: with secondary keys of the logic %s", (logic, texts, expected) => {
    const entries = [lore("a", { secondary: { keys: ["x", "y"], logic } })]
    expect(texts.filter((text) => ids({ entries }, { messages: says(text) }).length > 0)).toEqual(expected)
  })

  test("C13: by a pattern that takes linear time; another one is refused with a reason", () => {
    const entries = [
      lore("r", { keys: [{ source: "drag(on|ons)\\b", flags: "i" }] }),
      lore("s", { keys: [{ source: "(?=x)", flags: "" }] }),
    ]
    expect(ids({ entries }, { messages: says("two DRAGONS") })).toEqual(["r"])
    expect(createLoreScanner({ entries }).refused).toEqual([
      { entry: "s", key: "/(?=x)/", reason: "a look-around cannot be searched for in linear time" },
    ])
  })

  test.each([
    ["andAny", [1, 2, 3, 4]],
    ["andAll", [1, 1, 1, 4]],
    ["notAny", [1, 1, 1, 1]],
    ["notAll", [1, 1, 1, 1]],
  ] as const)(
    "C13: of a group that counts keys, secondary ones of the logic %s count only where they must occur",
    (logic, scores) => {
      // The entry wins over one with as many keys as `other` if its own score is higher, and stays beside one with as many.
      const own = lore("own", { keys: ["a"], secondary: { keys: ["x", "y", "z"], logic }, groups: ["g"], groupScoring: true })
      for (const [found, score] of scores.entries()) {
        for (const other of [1, 2, 3, 4, 5]) {
          const keys = ["k", "l", "m", "n", "o"].slice(0, other)
          const rival = lore("rival", { keys, groups: ["g"], groupScoring: true, order: 1 })
          const text = ["a", ...["x", "y", "z"].slice(0, found), ...keys].join(" ")
          const isMet = ids({ entries: [own] }, { messages: says(text) }).length === 1
          const winner = !isMet || score < other ? "rival" : score > other ? "own" : undefined
          const left = ids({ entries: [own, rival] }, { messages: says(text) })
          if (winner !== undefined) expect(left, `${logic} ${found} ${other}`).toEqual([winner])
        }
      }
    },
  )

  test("C13: the names of speakers are searched where asked for", () => {
    const messages = [{ speaker: "Fay", text: "hello" }]
    expect(ids({ entries: [lore("fay")] }, { messages })).toEqual([])
    expect(ids({ entries: [lore("fay")], withNames: true }, { messages })).toEqual(["fay"])
  })

  test("a lower order stands earlier, equal ones as in the book", () => {
    const entries = [lore("a", { order: 2 }), lore("b"), lore("c", { order: 1 }), lore("d", { order: 2 })]
    expect(ids({ entries }, { messages: says("a b c d") })).toEqual(["c", "a", "d", "b"])
  })

  test("C15: too little room takes what may be dropped, then the lowest priority, then the lowest order; constant ones last", () => {
    const entries = [
      lore("a", { constant: true, priority: -5 }),
      lore("b", { priority: 3 }),
      lore("c", { priority: 1, order: 5 }),
      lore("d", { priority: 1, order: 4 }),
      lore("e", { priority: 9, dropFirst: true }),
    ]
    const at = (max: number) => ids({ entries }, { messages: says("a b c d e"), room: { max, sizeOf: () => 1 } })
    expect([5, 4, 3, 2, 1, 0].map((max) => at(max).toSorted().join(""))).toEqual(["abcde", "abcd", "abc", "ab", "a", ""])
  })

  test("C16: decorators force an entry in or out, and count answers and greetings", () => {
    const entries = [
      lore("always", { keys: [], conditions: { force: "always" } }),
      lore("never", { conditions: { force: "never" } }),
      lore("after", { conditions: { afterAnswers: 3 } }),
      lore("every", { conditions: { everyAnswers: 2 } }),
      lore("greeting", { conditions: { greeting: 1 } }),
      lore("once", { conditions: { onceIn: "leave" } }),
      lore("kept", { conditions: { onceIn: "stay" } }),
    ]
    const messages = says("never after every greeting once kept")
    expect(ids({ entries }, { messages })).toEqual(["always", "after", "every", "greeting", "once", "kept"])
    const first = scan({ entries }, { messages, answerCount: 1, greeting: 0, messageCount: 1 })
    expect(first.entries.map(({ id }) => id)).toEqual(["always", "once", "kept"])
    const later = { answerCount: 4, greeting: 1, messageCount: 5, state: first.state }
    expect(ids({ entries }, { messages, ...later })).toEqual(["always", "after", "every", "greeting", "kept"])
    expect(ids({ entries }, { messages: says("once"), ...later })).toEqual(["always", "kept"])
  })

  test("C17: the text of an entry lets in others, within the limits that entries and the book set", () => {
    const chain = [
      lore("a", { text: { text: "b", trust: "user" } }),
      lore("b", { text: { text: "c d", trust: "user" } }),
      lore("c", { excludeRecursion: true }),
      lore("d", { preventRecursion: true, text: { text: "e", trust: "user" } }),
      lore("e"),
      lore("b2", { keys: ["b"], delayUntilRecursion: 1 }),
    ]
    const messages = says("a")
    expect(ids({ entries: chain }, { messages })).toEqual(["a"])
    expect(ids({ entries: chain, recursive: true }, { messages })).toEqual(["a", "b", "d", "b2"])
    expect(ids({ entries: chain, recursive: true, maxRecursion: 1 }, { messages })).toEqual(["a", "b", "b2"])
  })

  test("C18: entries that a chain would call behind its limit of steps are told with the key that calls them", () => {
    const chain = [
      lore("a", { text: { text: "b", trust: "user" } }),
      lore("b", { text: { text: "c k f x", trust: "user" } }),
      lore("c", { text: { text: "d", trust: "user" } }),
      lore("d"),
      lore("always", { constant: true, keys: ["k"], preventRecursion: true }),
      lore("f", { disabled: true }),
      lore("x", { excludeRecursion: true }),
    ]
    const told = (maxRecursion?: number) =>
      scan({ entries: chain, recursive: true, maxRecursion }, { messages: says("a") }).reports.map(
        ({ entry, outcome, key, where }) => [entry.id, outcome, key, where],
      )
    const always = ["always", "in", undefined, undefined]
    expect(told(0)).toEqual([["a", "in", "a", 0], ["b", "max recursion", "b", "lore"], always])
    expect(told(1)).toEqual([["a", "in", "a", 0], ["b", "in", "b", "lore"], ["c", "max recursion", "c", "lore"], always])
    expect(told().map(([id, outcome]) => [id, outcome])).toEqual([
      ["a", "in"],
      ["b", "in"],
      ["c", "in"],
      ["d", "in"],
      ["always", "in"],
      ["f", "disabled"],
      ["x", "key"],
    ])
  })

  test("C17: more messages are searched until enough entries are in", () => {
    const entries = [lore("a"), lore("b"), lore("c")]
    const messages = says("c", "b", "x", "a")
    const at = (given: Partial<Lorebook>) => ids({ entries, scanDepth: 1, ...given }, { messages })
    expect(at({})).toEqual(["a"])
    expect(at({ minEntries: 2 })).toEqual(["a", "b"])
    expect(at({ minEntries: 2, maxDepth: 2 })).toEqual(["a"])
    expect(at({ minEntries: 9 })).toEqual(["a", "b", "c"])
  })

  test("C17: an entry sticks for some messages, then rests, and does not come before its delay", () => {
    const entries = [lore("a", { sticky: 4, cooldown: 4 }), lore("late", { delay: 5, constant: true })]
    const shown: string[] = []
    let state = {}
    for (let count = 1; count <= 15; count += 2) {
      const turn = { messages: says(count === 1 || count >= 7 ? "a" : "b"), messageCount: count, state }
      const found = scan({ entries }, turn)
      expect(scan({ entries }, { ...turn, state: found.state }).entries).toEqual(found.entries)
      state = found.state
      shown.push(`${count}:${found.entries.map(({ id }) => id).join("+")}`)
    }
    expect(shown).toEqual(["1:a", "3:a", "5:late", "7:late", "9:a+late", "11:a+late", "13:late", "15:late"])
  })

  test("C17: chance is asked once, and never for an entry that sticks", () => {
    let rolls = 0
    const random = () => {
      rolls++
      return 0.5
    }
    const entries = [lore("a", { probability: 50, sticky: 9 }), lore("b", { probability: 51 }), lore("c", { probability: 0 })]
    const found = scan({ entries, recursive: true }, { messages: says("a b c"), random })
    expect([found.entries.map(({ id }) => id), rolls]).toEqual([["b"], 3])
    const state = { a: { first: 0, last: 0 } }
    expect(ids({ entries }, { messages: says("nothing"), state, random })).toEqual(["a"])
    expect(rolls).toBe(3)
  })

  test("C17: of a group one entry is in: the held one, the best-matching one, the highest, or one by weight", () => {
    const group = { groups: ["g"] }
    const entries = [lore("a", group), lore("b", { ...group, groupWeight: 300 }), lore("c", { ...group, groupWeight: 0 })]
    const at = (given: readonly LoreEntry[], random: number, state = {}) =>
      ids({ entries: given }, { messages: says("a b c"), random: () => random, state }).join()
    expect([0, 0.24, 0.26, 0.99].map((random) => at(entries, random))).toEqual(["a", "a", "b", "b"])
    expect(at([...entries, lore("d", { keys: ["a"], order: 200, ...group, groupOverride: true })], 0)).toBe("d")
    expect(at([...entries, lore("d", { keys: ["a", "b"], ...group, groupScoring: true })], 0.99)).toBe("d")
    expect(at([...entries, lore("d", { sticky: 9, ...group })], 0, { d: { first: 0, last: 0 } })).toBe("d")
  })

  test("C18: each entry that was looked at says which key let it in, or what kept it out", () => {
    const entries = [
      lore("a"),
      lore("unspoken"),
      lore("b", { disabled: true }),
      lore("c", { secondary: { keys: ["z"], logic: "andAny" } }),
      lore("d", { probability: 1 }),
      lore("e", { delay: 9 }),
      lore("f", { keys: ["about a"] }),
      lore("g", { excluded: ["a"] }),
      lore("h", { text: { text: " ", trust: "user" } }),
      lore("i", { character: { names: ["Fay"], tags: [], exclude: true } }),
      lore("j", { priority: -1 }),
    ]
    const book = { entries, recursive: true }
    const turn = {
      messages: says("b c d e g h i j", "a"),
      character: { name: "Fay", tags: [] },
      room: { max: 2, sizeOf: () => 1 },
    }
    expect(outcomes(book, turn)).toEqual({
      a: "in",
      b: "disabled",
      c: "secondary key",
      d: "probability",
      e: "delay",
      f: "in",
      g: "excluded key",
      h: "empty",
      i: "character",
      j: "room",
    })
    expect(scan(book, turn).reports.map(({ entry, key, where }) => [entry.id, key, where])).toEqual(
      expect.arrayContaining([
        ["a", "a", 0],
        ["j", "j", 1],
        ["f", "about a", "lore"],
      ]),
    )
  })

  test("are the same, in the same order, as a second implementation finds, for any book and chat (C13–C17)", () => {
    fc.assert(
      fc.property(arbitraryBook, arbitraryLoreTurn, (book, { seed, max, ...given }) => {
        const room = max === undefined ? undefined : { max, sizeOf: ({ text }: LoreEntry) => text.text.length }
        const turn = (): LoreTurn => ({ ...given, room, random: mulberry32(seed) })
        const scanner = createLoreScanner(book)
        const found = scanner.scan(turn())
        expect(found.entries.map(({ id }) => id)).toEqual(plainScan(book, turn()))
        expect(scanner.scan(turn())).toEqual(found)
      }),
      { numRuns: runs(20_000), seed: seedOf(21) },
    )
  })
})
