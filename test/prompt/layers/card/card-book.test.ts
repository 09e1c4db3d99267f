import { describe, expect, test } from "vitest"
import { cardOf } from "../../../../src/prompt/layers/card/card.ts"
import { readBook } from "../../../../src/prompt/layers/card/card-book.ts"
import { readDecorators } from "../../../../src/prompt/layers/card/decorators.ts"
import { createLoreScanner } from "../../../../src/prompt/layers/lorebook/scan.ts"

const read = (json: unknown) => {
  const warnings: string[] = []
  return { book: readBook(json, { path: "book", warnings }), warnings }
}
const entryOf = (entry: object) => read({ entries: [entry] }).book.entries[0]

describe("a lorebook of a card", () => {
  test("C13: keys, patterns and secondary keys are read; use_regex makes patterns of all", () => {
    const keys = ["cat", "/drag(on|ons)/i"]
    expect(
      entryOf({ keys, content: "A", selective: true, secondary_keys: ["x"], extensions: { selectiveLogic: 3 } }),
    ).toMatchObject({
      keys: ["cat", { source: "drag(on|ons)", flags: "i" }],
      secondary: { keys: ["x"], logic: "andAll" },
    })
    expect(entryOf({ keys: ["cat", "c.t"], secondary_keys: ["x"] })).toMatchObject({ keys: ["cat", "c.t"], secondary: undefined })
    expect(entryOf({ keys: ["cat", "c.t"], use_regex: true })?.keys).toEqual(["cat", { source: "c.t", flags: "i" }])
    expect(entryOf({ keys: ["c.t"], use_regex: true, case_sensitive: true })?.keys).toEqual([{ source: "c.t", flags: "" }])
  })

  test("C45: use_regex makes no patterns of what SillyTavern wrote, which has it in every entry: only /…/ is one there", () => {
    const keys = ["C++", "[OOC]", "what?", "/dr[aA]gon/"]
    expect(entryOf({ keys, use_regex: true, extensions: { position: 0 } })?.keys).toEqual([
      ...keys.slice(0, 3),
      { source: "dr[aA]gon", flags: "" },
    ])
  })

  test("C45: what SillyTavern heeds in an entry and nothing does here is told once for the book", () => {
    const entries = [
      { keys: ["a"], extensions: { position: 0, vectorized: true, triggers: [], match_scenario: true } },
      { keys: ["b"], extensions: { position: 0, vectorized: true, triggers: ["continue"], match_scenario: false } },
    ]
    const told = [
      "book.entries: vectorized is kept and does nothing here; 2 of them have it.",
      "book.entries: triggers is kept and does nothing here; 1 of them have it.",
      "book.entries: match_scenario is kept and does nothing here; 1 of them have it.",
    ]
    expect(read({ entries }).warnings).toEqual(told)
    const world = {
      0: { key: ["a"], vectorized: true, matchScenario: true },
      1: { key: ["b"], vectorized: true, triggers: ["quiet"] },
    }
    expect(read({ entries: world }).warnings).toEqual(told)
  })

  test("C17: the extensions that SillyTavern writes", () => {
    const extensions = {
      ...{ position: 4, depth: 2, role: 2, probability: 30, useProbability: true, sticky: 3, cooldown: 2, delay: 1 },
      ...{
        group: "a, b",
        group_override: true,
        group_weight: 7,
        use_group_scoring: true,
        scan_depth: 5,
        match_whole_words: true,
      },
      ...{ exclude_recursion: true, prevent_recursion: true, delay_until_recursion: 2 },
    }
    expect(entryOf({ keys: ["a"], content: "A", extensions })).toMatchObject({
      position: { at: "depth", depth: 2, fromStart: false, role: "assistant" },
      ...{ probability: 30, sticky: 3, cooldown: 2, delay: 1, scanDepth: 5, wholeWords: true },
      ...{ groups: ["a", "b"], groupOverride: true, groupWeight: 7, groupScoring: true },
      ...{ excludeRecursion: true, preventRecursion: true, delayUntilRecursion: 2 },
    })
    expect(
      entryOf({ keys: ["a"], extensions: { delay_until_recursion: true, useProbability: false, probability: 5 } }),
    ).toMatchObject({
      delayUntilRecursion: 1,
      probability: undefined,
    })
  })

  test.each([
    [{ position: "before_char" }, { at: "beforeCharacter" }],
    [{ position: "after_char" }, { at: "afterCharacter" }],
    [{ position: "after_char", extensions: { position: 0 } }, { at: "beforeCharacter" }],
    [{ extensions: { position: 1 } }, { at: "afterCharacter" }],
    [{ extensions: { position: 2 } }, { at: "noteTop" }],
    [{ extensions: { position: 3 } }, { at: "noteBottom" }],
    [{ extensions: { position: 4 } }, { at: "depth", depth: 4, fromStart: false, role: "system" }],
    [{ extensions: { position: 5 } }, { at: "beforeExamples" }],
    [{ extensions: { position: 6 } }, { at: "afterExamples" }],
    [{ extensions: { position: 7, outlet_name: "weather" } }, { at: "outlet", name: "weather" }],
    [{ content: "@@position scenario\n@@depth 3\nA" }, { at: "scenario" }],
    [
      { content: "@@depth 3\n@@role user\nA", extensions: { position: 1 } },
      { at: "depth", depth: 3, fromStart: false, role: "user" },
    ],
    [{ content: "@@reverse_depth 3\nA" }, { at: "depth", depth: 3, fromStart: true, role: "system" }],
  ])("places %j at %j", (entry, position) => {
    expect(entryOf({ keys: ["a"], ...entry })?.position).toEqual(position)
  })

  test("C1: SillyTavern's world file and a lorebook alone are the same book", () => {
    const world = {
      entries: {
        0: {
          ...{
            uid: 7,
            key: ["a"],
            keysecondary: ["b"],
            selectiveLogic: 2,
            content: "A",
            comment: "Title",
            order: 5,
            position: 1,
          },
          ...{
            disable: true,
            constant: true,
            caseSensitive: true,
            matchWholeWords: true,
            scanDepth: 3,
            group: "g",
            groupWeight: 2,
          },
          ...{ sticky: 1, delayUntilRecursion: true, characterFilter: { isExclude: true, names: ["Fay"], tags: [] } },
        },
      },
    }
    expect(read(world)).toMatchObject({
      warnings: [],
      book: { entries: [{ id: "7", title: "Title", order: 5, disabled: true }] },
    })
    expect(read(world).book.entries[0]).toMatchObject({
      ...{ secondary: { keys: ["b"], logic: "notAny" }, constant: true, caseSensitive: true, wholeWords: true, scanDepth: 3 },
      ...{ groups: ["g"], groupWeight: 2, sticky: 1, delayUntilRecursion: 1 },
      character: { names: ["Fay"], tags: [], exclude: true },
    })
    const alone = read({
      spec: "lorebook_v3",
      data: { scan_depth: 9, token_budget: 50, recursive_scanning: true, entries: [{ keys: ["a"] }] },
    })
    expect(alone.book).toMatchObject({ scanDepth: 9, tokenBudget: 50, recursive: true, entries: [{ keys: ["a"], order: 100 }] })
  })

  test("C3: without a list of entries is empty, with a warning; ids are unique", () => {
    expect(read({ entries: null })).toEqual({
      book: { entries: [], lastFirst: true, scanDepth: undefined, recursive: undefined, tokenBudget: undefined },
      warnings: ["book.entries: expected a list of entries, found none; the book is empty."],
    })
    const ids = read({ entries: [{ id: 1 }, { id: "1" }, { id: null }, {}] }).book.entries.map(({ id }) => id)
    expect(ids).toEqual(["1", "1'", "2", "3"])
  })
})

describe("decorators (C16)", () => {
  test("C16: stand at the beginning of the content, and are taken out of it", () => {
    const { content, decorators } = readDecorators(
      "@@activate_only_after 3\n@@activate_only_every 2\n@@is_greeting 1\n@@is_user_icon knight\n@@keep_activate_after_match\n@@scan_depth 4\n@@ignore_on_max_context\n@@additional_keys a, b\n@@additional_keys c\n@@exclude_keys d\n\nText\n@@not_one\n",
    )
    expect(content).toBe("Text\n@@not_one")
    expect(decorators).toEqual({
      conditions: { afterAnswers: 3, everyAnswers: 2, greeting: 1, userIcon: "knight", onceIn: "stay" },
      position: undefined,
      scanDepth: 4,
      dropFirst: true,
      additionalKeys: [["a", "b"], ["c"]],
      excludedKeys: ["d"],
    })
    expect(readDecorators("Just text, @@depth 3")).toMatchObject({ content: "Just text, @@depth 3" })
  })

  test.each([
    ["@@activate\n@@dont_activate", { force: "always" }],
    ["@@dont_activate", { force: "never" }],
    ["@@dont_activate_after_match", { onceIn: "leave" }],
    ["@@ACTIVATE_ONLY_AFTER 2\n@@activate_only_after 5", { afterAnswers: 2 }],
    ["@@activate_only_every 0", undefined],
    ["@@activate_only_after soon", undefined],
    ["@@instruct_depth 3\n@@disable_ui_prompt system_prompt\n@@mood happy", undefined],
    ["@@risu 1\n@@@agn 2\n@@@a 1\n@@@b 1\n@@@c 1\n@@@activate_only_after 4", { afterAnswers: 4 }],
    ["@@activate_only_after 1\n@@@is_greeting 2", { afterAnswers: 1 }],
    ["@@risu 1\n@@@is_greeting 2\n@@@is_user_icon x", { greeting: 2 }],
    ["@@risu 1\n@@activate_only_after 1\n@@@is_greeting 2", { afterAnswers: 1 }],
  ])("C16: %j means %j", (text, conditions) => {
    expect(readDecorators(`${text}\nText`)).toMatchObject({ content: "Text", decorators: { conditions } })
  })

  test("C16: with use_regex, more keys are other ways to enter, and excluded ones have no effect", () => {
    const content = "@@additional_keys b.\n@@exclude_keys c\nA"
    expect(entryOf({ keys: ["a"], content })).toMatchObject({ keys: ["a"], required: [["b."]], excluded: ["c"] })
    expect(entryOf({ keys: ["a"], content, use_regex: true })).toMatchObject({
      keys: ["a", { source: "b.", flags: "i" }],
      required: undefined,
      excluded: undefined,
    })
  })
})

describe("C24: lorebooks of other programs", () => {
  test("a memory book of Agnai and a lorebook of NovelAI have their keys, texts and orders", () => {
    const agnai = {
      kind: "memory",
      name: "World",
      entries: [{ name: "Dragon", entry: "Dragons sleep.", keywords: ["dragon"], priority: 3, weight: 5, enabled: false }],
    }
    const novel = {
      lorebookVersion: 4,
      entries: [
        {
          id: "a",
          displayName: "Dragon",
          text: "Dragons sleep.",
          keys: ["dragon", "/wyrm/i"],
          contextConfig: { budgetPriority: 400 },
        },
        { id: "b", displayName: "Sky", text: "Blue.", keys: [], forceActivation: true, enabled: false },
      ],
    }
    const warnings: string[] = []
    const entriesOf = (json: unknown) => readBook(json, { path: "lorebook", warnings }).entries
    expect(entriesOf(agnai)).toMatchObject([
      { title: "Dragon", keys: ["dragon"], text: { text: "Dragons sleep." }, order: 5, priority: 3, disabled: true },
    ])
    expect(entriesOf(novel)).toMatchObject([
      {
        id: "a",
        title: "Dragon",
        keys: ["dragon", { source: "wyrm", flags: "i" }],
        text: { text: "Dragons sleep." },
        order: 400,
      },
      { id: "b", constant: true, disabled: true, text: { text: "Blue." } },
    ])
    expect(warnings).toEqual([])
  })

  test("a character of Pygmalion has its fields", () => {
    const json = {
      char_name: "Mei",
      char_persona: "A keeper.",
      world_scenario: "A tower.",
      char_greeting: "Hi.",
      example_dialogue: "x",
    }
    expect(cardOf(json)).toMatchObject({
      ...{ version: 1, name: "Mei", description: "A keeper.", scenario: "A tower.", greetings: ["Hi."], exampleDialogues: "x" },
      json,
    })
  })
})

describe("C25: a book as SillyTavern scans it", () => {
  const scanOf = (entries: readonly object[], text: string, turn: object = {}) =>
    createLoreScanner(read({ entries }).book)
      .scan({ messages: [{ text }], random: () => 0.5, ...turn })
      .entries.map(({ id }) => id)

  test("of entries of one order the last of the book stands first", () => {
    const entries = [1, 2, 1, 1].map((order, id) => ({ id, keys: ["a"], content: "x", insertion_order: order }))
    expect(scanOf(entries, "a")).toEqual(["3", "2", "0", "1"])
  })

  test("an entry that ignores the budget is in, and takes no room from others", () => {
    const large = { keys: ["a"], content: "x".repeat(50), insertion_order: 1 }
    const entries = [
      { ...large, id: "free", extensions: { ignore_budget: true } },
      { ...large, id: "large", insertion_order: 3 },
      { ...large, id: "small", content: "x", insertion_order: 2 },
    ]
    const room = { max: 10, sizeOf: ({ text }: { text: { text: string } }) => text.text.length }
    expect(scanOf(entries, "a", { room })).toEqual(["free"])
    expect(scanOf(entries, "a", { room: { ...room, passOver: true } })).toEqual(["free", "small"])
    expect(scanOf(entries, "a", { room: { ...room, max: 1_000, maxEntries: 1 } })).toEqual(["free", "large"])
    const world = { entries: { 0: { uid: 0, key: ["a"], content: "x".repeat(50), ignoreBudget: true } } }
    expect(read(world).book.entries[0]?.ignoreBudget).toBe(true)
  })

  test("a pattern with \\x01 finds where a message begins", () => {
    const entries = [{ id: "e", keys: ["/\\x01once/i"], content: "x" }]
    expect(scanOf(entries, "Once upon")).toEqual(["e"])
    expect(scanOf(entries, "only once")).toEqual([])
  })
})
