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

test("C35 tells each script on its texts with what it would do, and other extensions that act elsewhere", () => {
  const script = { scriptName: "Hide state", findRegex: "/<WS_CREATE>.*?<\\/WS_CREATE>/gs", replaceString: "" }
  const told = '"Hide state" is kept and not run: SillyTavern would replace "/<WS_CREATE>.*?<\\\\/WS_CREATE>/gs" in what is'
  const regex_scripts = [
    script,
    { ...script, markdownOnly: true },
    { ...script, promptOnly: true },
    { ...script, markdownOnly: true, promptOnly: true },
    { ...script, disabled: true },
    "no script",
  ]
  const extensions = { regex_scripts, quick_replies: [], risuai: {}, fav: true, depth_prompt: {} }
  expect(cardProblems(read({ extensions }))).toEqual([
    `extensions.regex_scripts[0]: the script ${told} shown and sent.`,
    `extensions.regex_scripts[1]: the script ${told} shown.`,
    `extensions.regex_scripts[2]: the script ${told} sent.`,
    `extensions.regex_scripts[3]: the script ${told} shown and sent.`,
    'extensions.regex_scripts[5]: the script "" is kept and not run: SillyTavern would replace "" in what is shown and sent.',
    "extensions.quick_replies: it is kept and does nothing here.",
    "extensions.risuai: it is kept and does nothing here.",
  ])
  for (const given of [{}, { extensions: null }, { extensions: { regex_scripts: {} } }, { extensions: { regex_scripts: "x" } }])
    expect(cardProblems(read(given)).filter((problem) => problem.startsWith("extensions"))).toEqual([])
})
