import { expect, test } from "vitest"
import { type Card, cardOf } from "../../../src/prompt/layers/card/card.ts"
import { readBook } from "../../../src/prompt/layers/card/card-book.ts"
import { cardParts, cardProblems } from "../../../src/prompt/layers/card/card-problems.ts"

/** Values as other programs write them: right ones, ones at the edges, and wrong ones. */
const values: readonly unknown[] = [
  ...[-1, 0, 0.5, 1, 2, 3, 4, 5, 6, 7, 8],
  ...[true, false, "true", "false"],
  ...["", " ", "2", "words", "a, b,", "after_char", "/a+b/i", "a+b"],
  ...[[], ["x"], ["x", 1, null], { a: 1 }, null],
]

/** What each value of a field changes in what is read, a line for all values that change it in the same way. The value itself is `it`. */
function changes(fields: readonly string[], read: (field: string, value: unknown) => unknown, base: unknown): string {
  const lines: string[] = []
  for (const field of fields) {
    const byChange = new Map<string, string[]>()
    for (const value of values) {
      const change = itself(difference(base, read(field, value)), value)
      byChange.set(change, [...(byChange.get(change) ?? []), JSON.stringify(value)])
    }
    for (const [change, given] of byChange) lines.push(`${field} ${given.join(" ")} → ${change}`)
    lines.push("")
  }
  return lines.join("\n")
}

function itself(change: string, value: unknown): string {
  const shown = change.replaceAll(/found .*?; read as/g, "found it; read as")
  if (typeof value === "object") return shown
  const whole = [JSON.stringify(value), JSON.stringify(String(value))].map((text) => text.replaceAll(/[$+*.?]/g, "\\$&"))
  return shown.replaceAll(new RegExp(`(?<=[ :])(?:${whole.join("|")})(?=[,}]|$)`, "g"), "it")
}

/** The members that differ, as JSON. Members that are undefined count as absent. */
function difference(before: unknown, after: unknown): string {
  const [old, young] = [before, after].map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ]
  const names = [...new Set([...Object.keys(old), ...Object.keys(young)])]
  const differing = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(young[name]))
  return differing.length === 0
    ? "nothing"
    : differing.map((name) => `${name} ${JSON.stringify(young[name]) ?? "absent"}`).join(", ")
}

/** The first entry of a book, with the warnings. */
function entryOf(book: object): object {
  const warnings: string[] = []
  const { entries } = readBook(book, { path: "book", warnings })
  return { ...entries[0], warnings }
}

const ofBook = [
  "id",
  "name",
  "comment",
  "content",
  "keys",
  "secondary_keys",
  "selective",
  "use_regex",
  "case_sensitive",
  "enabled",
  "constant",
]
const orderOfBook = ["insertion_order", "priority", "position"]
const extensions = [
  ...["position", "depth", "role", "outlet_name", "selectiveLogic", "match_whole_words", "case_sensitive", "scan_depth"],
  ...["useProbability", "probability", "sticky", "cooldown", "delay", "group", "group_weight", "group_override"],
  ...["use_group_scoring", "exclude_recursion", "prevent_recursion", "delay_until_recursion"],
]
const ofWorld = [
  ...["uid", "comment", "content", "key", "keysecondary", "selective", "selectiveLogic", "caseSensitive", "matchWholeWords"],
  ...["disable", "constant", "scanDepth", "order", "position", "useProbability", "probability", "sticky", "cooldown", "delay"],
  ...["group", "groupWeight", "groupOverride", "useGroupScoring", "excludeRecursion", "preventRecursion", "delayUntilRecursion"],
  "characterFilter",
]

test("every field of an entry in a card's book", () => {
  const own = { keys: ["k"], secondary_keys: ["s"], selective: true, content: "lore" }
  const read = (more: object) => entryOf({ entries: [{ ...own, ...more }] })
  expect(changes([...ofBook, ...orderOfBook], (field, value) => read({ [field]: value }), read({}))).toMatchSnapshot()
})

test("the name of an outlet, under either name", () => {
  const outlet = (given: object) =>
    JSON.stringify(entryOf({ entries: { 0: { position: 7, ...given } } })).match(/"position":\{.*?\}/)?.[0]
  expect([outlet({}), outlet({ outletName: "a", outlet_name: "b" }), outlet({ outlet_name: "b" })]).toEqual(
    ["", "a", "b"].map((name) => `"position":{"at":"outlet","name":"${name}"}`),
  )
})

test("every field among an entry's extensions", () => {
  const own = { position: 4, depth: 3, role: 1, probability: 50 }
  const read = (more: object) =>
    entryOf({ entries: [{ keys: ["k"], selective: true, secondary_keys: ["s"], extensions: { ...own, ...more } }] })
  expect(changes(extensions, (field, value) => read({ [field]: value }), read({}))).toMatchSnapshot()
})

test("every field of an entry in a world file", () => {
  const own = { key: ["k"], keysecondary: ["s"], content: "lore", probability: 50, depth: 3, role: 2, outletName: "o" }
  const read = (more: object) => entryOf({ entries: { 0: { ...own, ...more } } })
  expect(changes(ofWorld, (field, value) => read({ [field]: value }), read({}))).toMatchSnapshot()
  const filtered = (more: object) => read({ characterFilter: { names: ["n"], tags: ["t"], ...more } })
  expect(changes(["names", "tags", "isExclude"], (field, value) => filtered({ [field]: value }), filtered({}))).toMatchSnapshot()
})

test("every field of a book", () => {
  const read = (book: object) => {
    const warnings: string[] = []
    return { ...readBook(book, { path: "book", warnings }), warnings }
  }
  const fields = ["scan_depth", "recursive_scanning", "token_budget", "entries", "data", "spec"]
  expect(changes(fields, (field, value) => read({ entries: [], [field]: value }), read({ entries: [] }))).toMatchSnapshot()
})

const cardFields = [
  ...["name", "nickname", "description", "personality", "scenario", "first_mes", "alternate_greetings", "mes_example"],
  ...["system_prompt", "post_history_instructions", "creator_notes", "creator_notes_multilingual", "creator", "tags"],
  ...["character_version", "group_only_greetings", "source", "creation_date", "modification_date", "assets", "extensions"],
  "character_book",
]

/** What is read of a card, without the JSON that it keeps. */
function cardWith(data: object, version = 3): Card {
  const card = cardOf({
    spec: `chara_card_v${version}`,
    spec_version: `${version}.0`,
    data: { name: "Ada", first_mes: "Hi.", ...data },
  })
  if (typeof card === "string") throw new Error(card)
  return { ...card, json: {} }
}

test("every field of a card", () => {
  const read = (data: object) => cardWith(data)
  expect(changes(cardFields, (field, value) => read({ [field]: value }), read({}))).toMatchSnapshot()
})

test("what is a card, of which version, and what is none", () => {
  const data = { name: "Ada" }
  const given: readonly unknown[] = [
    ...[
      null,
      "x",
      [],
      {},
      { data: {} },
      { data },
      data,
      { char_name: "Ada" },
      { spec: "other", data },
      { spec: "chara_card_v9", data },
    ],
    ...[
      { spec: "chara_card_v2", name: "Ada" },
      { spec: "chara_card_v3", data: {} },
      { spec: 5, data },
      { spec: "x".repeat(80), data },
    ],
    ...["1.0", "3.0", "3.1", "x", 4].map((spec_version) => ({ spec: "chara_card_v3", spec_version, data })),
    { spec: "chara_card_v2", data: { name: " " } },
    { spec: "chara_card_v3", data: { ...data, nickname: " Addie " } },
  ]
  const read = given.map((json) => {
    const card = cardOf(json)
    return `${JSON.stringify(json)} → ${typeof card === "string" ? card : JSON.stringify([card.version, card.shownName, card.warnings])}`
  })
  expect(read.join("\n")).toMatchSnapshot()
})

const depthPrompts = ["prompt", "depth", "role"]

test("every field of the note at a depth, and of an asset", () => {
  const note = (more: object) => cardWith({ extensions: { depth_prompt: { prompt: "p", depth: 2, role: "user", ...more } } })
  expect(changes(depthPrompts, (field, value) => note({ [field]: value }), note({}))).toMatchSnapshot()
  const asset = (more: object) => cardWith({ assets: [{ type: "icon", name: "main", uri: "u", ext: "png", ...more }] })
  expect(changes(["type", "name", "uri", "ext"], (field, value) => asset({ [field]: value }), asset({}))).toMatchSnapshot()
})

test("the parts of a card, and what its author may not have meant", () => {
  const entries = [
    { keys: ["tea"], content: "About tea {{odd}} {{char}}.", name: "Tea" },
    { keys: [], content: "Never called." },
    { keys: [" "], content: "Called by a blank." },
    { keys: ["x"], content: " ", name: "Blank" },
    { keys: [], content: "Always.", constant: true },
    { keys: ["(a"], content: "Bad pattern.", use_regex: true },
    { keys: ["y"], content: "Rare\u200b.", extensions: { probability: 0 } },
    { keys: [], content: "Off.", enabled: false },
    { keys: [], content: "@@activate\nDecorated." },
  ]
  const texts = { description: "Kind. {{nope}} {{nope}}", personality: " ", scenario: "Here.", mes_example: "<START>" }
  const card = cardWith({
    ...texts,
    ...{ system_prompt: "Be Ada.", post_history_instructions: "Stay.", alternate_greetings: [`Hey {{${"long".repeat(30)}}}`] },
    extensions: { depth_prompt: { prompt: "Deep.", depth: 2, role: "user" } },
    character_book: { entries },
  })
  expect(cardParts(card)).toMatchSnapshot()
  expect(cardProblems(card)).toMatchSnapshot()
})
