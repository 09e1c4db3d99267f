import { expect, test } from "vitest"
import { type Card, cardOf } from "../../../../src/prompt/layers/card/card.ts"
import { cardInjections } from "../../../../src/prompt/layers/card/card-injections.ts"
import { cardParts } from "../../../../src/prompt/layers/card/card-problems.ts"

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
