import { expect, test } from "vitest"
import { type Card, cardOf } from "../../../../src/prompt/layers/card/card.ts"
import { cardInjections } from "../../../../src/prompt/layers/card/card-injections.ts"
import { cardParts, cardProblems } from "../../../../src/prompt/layers/card/card-problems.ts"

const data = {
  ...{ name: "Mei", system_prompt: "a", description: "b", personality: "c", scenario: "d", mes_example: "<START>\ne" },
  ...{ first_mes: "f", post_history_instructions: "g" },
}

function read(more: object = {}): Card {
  const card = cardOf({ spec: "chara_card_v3", data: { ...data, ...more } })
  if (typeof card === "string") throw new Error(card)
  return card
}

test("a card's parts are named as its fields, in the order of the prompt", () => {
  expect(cardParts(read()).map(({ name, text }) => [name, text])).toEqual([
    ["system_prompt", "a"],
    ["description", "b"],
    ["personality", "c"],
    ["scenario", "d"],
    ["mes_example", "<START>\ne"],
    ["first_mes", "f"],
    ["post_history_instructions", "g"],
  ])
})

test("example dialogues give way first, then the words behind history, the scenario, and the personality (C7)", () => {
  const fill = (text: string) => ({ text, lasts: "conversation" }) as const
  const made = cardInjections({ card: read(), isPrivate: true, slots: new Set(), fill } as never)
  const ranks = made.flatMap(({ key, fit }) => (fit?.rank === undefined ? [] : [{ key, rank: fit.rank }]))
  const rankOf = (name: string) => ranks.find(({ key }) => key === `character.${name}`)?.rank ?? Number.NaN
  const order = ["examples", "post_history", "scenario", "personality"].map(rankOf)
  expect(order.every((rank, at) => at === 0 || rank > (order[at - 1] ?? 0))).toBe(true)
})

test("assets that are no list are told, and left out", () => {
  const { assets, warnings } = read({ assets: "none" })
  expect(assets).toEqual([])
  expect(warnings).toEqual(["assets: expected a list, found none; the card has no assets."])
  expect(read({ assets: null }).warnings).toEqual([])
})

test("C35 tells each script that does not run, and other extensions that act elsewhere", () => {
  const script = { scriptName: "Hide", findRegex: "/<WS>.*?<\\/WS>/gs", replaceString: "", placement: [2] }
  const regex_scripts = [
    script,
    { ...script, markdownOnly: true, replaceString: "<b>$1</b>" },
    { ...script, promptOnly: true, replaceString: "<b>$1</b>" },
    { ...script, findRegex: "(?<=a)b" },
    { ...script, findRegex: "(?<=a)b", disabled: true },
    { ...script, findRegex: "/(\\w+\\s*)*x/" },
    { ...script, placement: [3, 6] },
    "no script",
  ]
  const extensions = { regex_scripts, quick_replies: [], risuai: {}, fav: true, depth_prompt: {} }
  const told = 'extensions.regex_scripts: the script "Hide"'
  expect(cardProblems(read({ extensions }))).toEqual([
    `${told} changes nothing that is shown: its replacement is HTML.`,
    `${told} is kept and does not run: a look-around cannot be searched for in linear time.`,
    `${told} may not run on long messages: its pattern could take too long.`,
    `${told} is kept and does not run: it acts on none of words, answers and lore.`,
    'extensions.regex_scripts: the script "" is kept and does not run: it has no pattern.',
    "extensions.quick_replies: it is kept and does nothing here.",
    "extensions.risuai: it is kept and does nothing here.",
  ])
  for (const given of [{}, { extensions: null }, { extensions: { regex_scripts: {} } }, { extensions: { regex_scripts: "x" } }])
    expect(cardProblems(read(given)).filter((problem) => problem.startsWith("extensions"))).toEqual([])
})
