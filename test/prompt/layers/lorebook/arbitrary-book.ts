import fc from "fast-check"
import type { Lorebook, LoreConditions, LoreEntry, LoreKey } from "../../../../src/prompt/layers/lorebook/lorebook.ts"
import type { LoreState } from "../../../../src/prompt/layers/lorebook/timed.ts"

const words = ["cat", "Cat", "at", "dragon", "fire", "a", "moon", "龙", "龙骑士", "c4t", "rare"]
const word = fc.constantFrom(...words)
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", " ", "", ", ")), { maxLength: 5 })
  .map((parts) => parts.flat().join("").trim())
const rarely = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 })
const count = fc.integer({ min: 0, max: 4 })
const key: fc.Arbitrary<LoreKey> = fc.oneof(
  { weight: 5, arbitrary: word },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ source: "c.t", flags: "i" }, { source: "^fire", flags: "" }, { source: "龙$", flags: "m" }),
  },
)
const keys = fc.array(key, { maxLength: 3 })

const conditions: fc.Arbitrary<LoreConditions> = fc.record(
  {
    force: fc.constantFrom("always" as const, "never" as const),
    afterAnswers: count,
    everyAnswers: fc.integer({ min: 1, max: 3 }),
    onceIn: fc.constantFrom("stay" as const, "leave" as const),
    greeting: fc.integer({ min: 0, max: 1 }),
    userIcon: fc.constantFrom("knight", "mage"),
  },
  { requiredKeys: [] },
)

const entry: fc.Arbitrary<LoreEntry> = fc.record({
  id: fc.constant(""),
  text: text.map((content) => ({ text: content, trust: "author" as const })),
  keys,
  secondary: rarely(fc.record({ keys, logic: fc.constantFrom("andAny", "notAll", "notAny", "andAll") })),
  required: rarely(fc.array(keys, { maxLength: 2 })),
  excluded: rarely(keys),
  caseSensitive: rarely(fc.boolean()),
  wholeWords: rarely(fc.boolean()),
  disabled: rarely(fc.constant(false)),
  constant: rarely(fc.boolean()),
  scanDepth: rarely(count),
  order: count,
  priority: rarely(count),
  dropFirst: rarely(fc.boolean()),
  probability: rarely(fc.integer({ min: 0, max: 100 })),
  sticky: rarely(count),
  cooldown: rarely(count),
  delay: rarely(count),
  groups: rarely(fc.uniqueArray(fc.constantFrom("g", "h"), { minLength: 1, maxLength: 2 })),
  groupWeight: rarely(fc.integer({ min: 0, max: 200 })),
  groupOverride: rarely(fc.boolean()),
  groupScoring: rarely(fc.boolean()),
  excludeRecursion: rarely(fc.boolean()),
  preventRecursion: rarely(fc.boolean()),
  delayUntilRecursion: rarely(fc.integer({ min: 0, max: 3 })),
  character: rarely(
    fc.record({
      names: fc.subarray(["Mei", "Fay"]),
      tags: fc.subarray(["elf", "cat"]),
      exclude: fc.boolean(),
    }),
  ),
  conditions: rarely(conditions),
})

/** A small book in which entries meet each other often. */
export const arbitraryBook: fc.Arbitrary<Lorebook> = fc.record({
  entries: fc.array(entry, { maxLength: 8 }).map((entries) => entries.map((given, at) => ({ ...given, id: `e${at}` }))),
  scanDepth: fc.option(count, { nil: undefined }),
  recursive: fc.boolean(),
  maxRecursion: rarely(count),
  minEntries: rarely(count),
  maxDepth: rarely(count),
  withNames: fc.boolean(),
})

const state: fc.Arbitrary<LoreState> = fc
  .array(fc.tuple(count, count, count), { maxLength: 5 })
  .map((kept) => Object.fromEntries(kept.map(([id, first, later]) => [`e${id}`, { first, last: first + later }])))

/** A turn of a chat, but for its random numbers, and the number of characters for which there is room. */
export const arbitraryLoreTurn = fc.record({
  messages: fc.array(fc.record({ text, speaker: rarely(word) }), { maxLength: 5 }),
  messageCount: rarely(fc.integer({ min: 0, max: 8 })),
  answerCount: rarely(count),
  greeting: rarely(fc.integer({ min: 0, max: 1 })),
  userIcon: rarely(fc.constantFrom("knight", "mage")),
  character: rarely(fc.record({ name: fc.constantFrom("Mei", "Fay"), tags: fc.subarray(["elf", "cat"]) })),
  state: rarely(state),
  max: rarely(fc.integer({ min: 0, max: 40 })),
  seed: fc.nat(),
})
