import { describe, expect, test } from "vitest"
import { cardPage, costTable } from "../../../src/apps/cli/commands/card.ts"
import { english } from "../../../src/apps/cli/words/translate.ts"
import { readCard } from "../../../src/node/cards/card-file.ts"
import type { CardFile } from "../../../src/node/cards/card-folder.ts"

/** A token is a character here. */
const counter = { count: (text: string) => text.length, exact: true } as never
const paint = (look: string, text: string) => `<${look}>${text}</>`

const cardOf = (data: object, spec = "chara_card_v3"): CardFile =>
  readCard(Buffer.from(JSON.stringify({ spec, data: { name: "Mei", ...data } })))

/** The page of a card, its blocks apart, without that of the costs. */
function blocksOf(data: object, { locale }: { locale?: string } = {}): readonly string[] {
  const page = cardPage(cardOf(data), { counter, paint, say: english, locale })
  return page.split("\n\n").filter((block) => !block.startsWith("<bold>Costs</>"))
}

const entry = (more: object) => ({ keys: ["a"], content: "12345", insertion_order: 3, ...more })
const book = (...entries: object[]) => ({ character_book: { entries } })

describe("the page of a card", () => {
  test.each<[string, object, readonly string[]]>([
    ["alone is its name and form", {}, ["<bold>Mei</>  <dim>card V3 (json)</>"]],
    [
      "tells who made it, and its version",
      { creator: "Ann\u001b[2J", character_version: "1.2" },
      ["<bold>Mei</>  <dim>card V3 (json) · by Ann[2J · version 1.2</>"],
    ],
    ["is headed by the nickname", { nickname: "M" }, ["<bold>M</>  <dim>card V3 (json)</>"]],
    ["has tags below its name", { tags: ["a", "b\n"] }, ["<bold>Mei</>  <dim>card V3 (json)</>\n<dim>a, b ⏎ </>"]],
    [
      "has each text under its title, without the space around it",
      {
        description: " D ",
        personality: "P",
        scenario: "S",
        system_prompt: "Y",
        mes_example: "E",
        post_history_instructions: "H",
      },
      [
        "<bold>Mei</>  <dim>card V3 (json)</>",
        "<bold>Description</>\nD",
        "<bold>Personality</>\nP",
        "<bold>Scenario</>\nS",
        "<bold>System prompt</>\nY",
        "<bold>Example dialogues</>\nE",
        "<bold>After the history</>\nH",
      ],
    ],
    [
      "leaves out texts of white space",
      { description: " \n ", creator_notes: "\t", tags: [] },
      ["<bold>Mei</>  <dim>card V3 (json)</>"],
    ],
    [
      "numbers greetings, those for groups last",
      { first_mes: " a ", alternate_greetings: ["b"], group_only_greetings: [" c"] },
      ["<bold>Mei</>  <dim>card V3 (json)</>", "<bold>Greetings</>\n1. a\n2. b\n3. (for groups) c"],
    ],
    [
      "has the note at a depth",
      { extensions: { depth_prompt: { prompt: " N ", depth: 2 } } },
      ["<bold>Mei</>  <dim>card V3 (json)</>", "<bold>Note at a depth</>\nN"],
    ],
    [
      "names assets, with the beginning of an address",
      {
        assets: [
          { type: "icon", name: "main", uri: "ccdefault:", ext: "png" },
          { type: "x", name: "y", uri: `data:${"u".repeat(90)}`, ext: "" },
        ],
      },
      ["<bold>Mei</>  <dim>card V3 (json)</>", `<bold>Assets</>\nicon main: ccdefault:\nx y: data:${"u".repeat(75)}`],
    ],
    [
      "warns of what may not be meant",
      { description: "{{getvar::x}}" },
      [
        "<bold>Mei</>  <dim>card V3 (json)</>",
        "<bold>Description</>\n{{getvar::x}}",
        "<bold>Warnings</>\ndescription: the macro {{getvar::x}} is not known; the model reads it as it stands.",
      ],
    ],
  ])("%s", (_, data, blocks) => {
    expect(blocksOf(data)).toEqual(blocks)
  })

  test("names its version and form", () => {
    const heads = ["chara_card_v2", "chara_card_v3"].map(
      (spec) => cardPage(cardOf({}, spec), { counter, paint, say: english, locale: undefined }).split("\n")[0],
    )
    expect(heads).toEqual(["<bold>Mei</>  <dim>card V2 (json)</>", "<bold>Mei</>  <dim>card V3 (json)</>"])
  })

  test.each<[object, string]>([
    [entry({}), "3      a              beforeCharacter  5"],
    [entry({ enabled: false, constant: true }), "3      (off) a        beforeCharacter  5"],
    [entry({ constant: true, name: "T" }), "3      (always) a  T      beforeCharacter  5"],
    [entry({ keys: ["a", "/b+/i"] }), "3      a, /b+/i         beforeCharacter  5"],
    [entry({ extensions: { position: 4, depth: 7, role: 1 } }), "3      a              depth 7, user  5"],
    [entry({ position: "after_char" }), "3      a              afterCharacter  5"],
  ])("has a line for the entry %j", (given, line) => {
    const lore = blocksOf(book(given)).find((block) => block.startsWith("<bold>Lore</>\nORDER"))
    expect(lore?.split("\n")[2]?.replaceAll(/ +/g, " ")).toBe(line.replaceAll(/ +/g, " "))
  })
})

describe("the creator's notes", () => {
  const notes = (locale: string | undefined, creator_notes: string, creator_notes_multilingual: object) =>
    blocksOf({ creator_notes, creator_notes_multilingual }, locale === undefined ? {} : { locale })
      .find((block) => block.startsWith("<bold>Creator's notes</>"))
      ?.split("\n")[1]

  test.each([
    ["zh-CN", "all", { zh: "Z", en: "E" }, "Z"],
    ["zh-CN", "all", { "ZH-hant": "Z" }, "Z"],
    ["zh", "all", { zh_TW: "Z" }, "Z"],
    ["fr-FR", "all", { zh: "Z" }, "all"],
    ["fr-FR", " ", { zh: "Z", de: "D" }, "Z"],
    [undefined, "all", { en: "E" }, "E"],
    [undefined, "", {}, undefined],
  ])("for %s of %j and %j", (locale, all, others, expected) => {
    expect(notes(locale, all, others)).toBe(expected)
  })
})

test("the costs are those of each part, and their sums with and without what has to be called", () => {
  const { card } = cardOf({
    description: "1234567",
    first_mes: "12",
    ...book(entry({}), entry({ constant: true, content: "1", name: "T" }), entry({ content: "123" })),
  })
  expect(costTable(card, { counter, paint, say: english }).split("\n")).toEqual([
    "<bold>Costs</>",
    "PART          TOKENS  WHEN",
    "description   7       every turn",
    "first_mes     2       every turn",
    "entries[0]    5       when called",
    "entries[1] T  1       every turn",
    "entries[2]    3       when called",
    "10 tokens in every turn, up to 18 with all lore",
  ])
})

test("C39 with a price the costs are those of a month, by what a cache can serve where a part stands", () => {
  const { card } = cardOf({
    description: "12345678",
    scenario: "It is cold.",
    post_history_instructions: "1234",
    ...book(
      entry({}),
      entry({ constant: true, content: "12" }),
      entry({ constant: true, content: "12", extensions: { position: 4, depth: 4 } }),
      entry({ constant: true, content: "12", extensions: { position: 2 } }),
    ),
  })
  const price = { input: 1_000, cacheRead: 100, output: 0 }
  const table = (of: typeof card) => costTable(of, { counter, paint, say: english, price }).split("\n").slice(1)
  expect(table(card)).toEqual([
    "PART                       TOKENS  WHEN         CACHE       USD/MONTH",
    "description                8       every turn   cached      1.2000",
    "scenario                   11      every turn   cached      1.6500",
    "post_history_instructions  4       every turn   not cached  6.0000",
    "entries[0]                 5       when called  not cached  7.5000",
    "entries[1]                 2       every turn   cached      0.3000",
    "entries[2]                 2       every turn   not cached  3.0000",
    "entries[3]                 2       every turn   not cached  3.0000",
    "29 tokens in every turn, up to 34 with all lore",
    "50 turns a day cost 15.1500 US dollars a month, up to 22.6500 with all lore in every turn",
  ])
  const changing = table(cardOf({ description: "{{time}}", personality: "1", scenario: "{{time}}", first_mes: "1" }).card)
  expect(changing.filter((row) => row.includes("not cached"))).toEqual([
    expect.stringMatching(/^scenario/),
    expect.stringMatching(/^first_mes/),
  ])
})
