import { describe, expect, test } from "vitest"
import type { CountedTool, TokenCounter } from "../../../src/core/ports.ts"
import type { FitRule, Injection, SlotEntry, TrustedText } from "../../../src/core/value.ts"
import { assembleInjections } from "../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../src/prompt/assemble/assembler.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { encodedText } from "../../../src/prompt/encode/marked-text.ts"
import { perCodePoint } from "./arbitrary-turn.ts"

type Options = Parameters<typeof assembleInjections>[1]

const dialect = { ...shippedDialect("layered", "en") }
const source = { file: "a.md", line: 1, column: 2 }
const text: TrustedText = {
  ...{ text: "Tea.", trust: "user", source },
  parts: [{ attachment: { name: "a.png", mediaType: "image/png" }, tokens: 3 }],
}
const entry: SlotEntry = { content: text, flag: true, inner: [{ text: "in" }], plain: "words" }
const fit: FitRule = { rank: 30, minTokens: 0, maxTokens: 900, shrink: "entries", group: "g", scores: [1] }
const injection: Injection = {
  ...{ key: "note", content: [entry], trust: "user", priority: 50, role: "system", scope: "turn", enabled: true, fit, source },
}
const tool: CountedTool = { name: "look", description: "Looks.", parameters: { type: "object" } }
const options: Options = {
  ...{
    dialect,
    prompt: "chat",
    developerRole: false,
    counter: perCodePoint,
    budgetTokens: 900,
    cut: {},
    history: { lowWater: 0.5 },
  },
  tools: [tool],
  names: { speaker: ["Ann"], tool: ["look"] },
}

/** The same values in other objects. What a dialect and a counter are is known by identity alone. */
const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value
const assembler = createAssembler()
const again = (given: Partial<Injection> = {}, changed: Partial<Options> = {}) => {
  const { dialect: own, counter, ...rest } = { ...options, ...changed }
  return assembleInjections([{ ...copied(injection), ...given }], {
    ...{ assembler, dialect: own, ...(counter && { counter }) },
    ...copied(rest),
  })
}

/** A list with one changed entry. */
const entryWith = (given: object) => ({ content: [{ ...copied(entry), ...given }] as unknown as readonly SlotEntry[] })
const { plain: words = "", ...unnamed } = entry
const renamed: SlotEntry = { ...unnamed, other: words }
const textWith = (given: object) => entryWith({ content: { ...copied(text), ...given } })
const fitWith = (given: Partial<FitRule>) => ({ fit: { ...copied(fit), ...given } })

describe("S14 the same assembly is given for the same input, and another one", () => {
  test("is not made for equal values in other objects", () => {
    const first = again()
    for (let round = 0; round < 3; round++) expect(again()).toBe(first)
    const moved = { ...copied(tool), parameters: copied(tool.parameters) }
    expect(again({}, { tools: [moved] })).toBe(first)
  })

  test.each<[string, Partial<Injection>, Partial<Options>?]>([
    ["key", { key: "other" }],
    ["trust", { trust: "memory" }],
    ["priority", { priority: 51 }],
    ["role", { role: "developer" }],
    ["scope", { scope: "session" }],
    ["being enabled", { enabled: false }],
    ["source's file", { source: { ...source, file: "b.md" } }],
    ["source's line", { source: { ...source, line: 2 } }],
    ["source's column", { source: { ...source, column: 3 } }],
    ["having a source", { source: undefined as never }],
    ["having a rule", { fit: undefined as never }],
    ["rank", fitWith({ rank: 31 })],
    ["way to shrink", fitWith({ shrink: "drop" })],
    ["group", fitWith({ group: "h" })],
    ["least tokens", fitWith({ minTokens: 1 })],
    ["most tokens", fitWith({ maxTokens: 899 })],
    ["scores", fitWith({ scores: [2] })],
    ["number of scores", fitWith({ scores: [1, 1] })],
    ["kind of content", { content: "Tea." }],
    ["content as text", { content: { text: "Tea.", trust: "user" } }],
    ["content as a flag", { content: true }],
    ["number of entries", { content: [copied(entry), copied(entry)] }],
    ["names of an entry's values", { content: [renamed] }],
    ["number of an entry's values", entryWith({ more: "words" })],
    ["flag of an entry", entryWith({ flag: false })],
    ["text in an entry", entryWith({ plain: "Words" })],
    ["list in an entry", entryWith({ inner: [{ text: "in" }, { text: "in" }] })],
    ["text of a list in an entry", entryWith({ inner: [{ text: "out" }] })],
    ["words of a text", textWith({ text: "Tea!" })],
    ["trust of a text", textWith({ trust: "memory" })],
    ["source of a text", textWith({ source: { ...source, line: 9 } })],
    ["having a source of a text", textWith({ source: undefined })],
    ["parts of a text", textWith({ parts: [{ attachment: { name: "b.png" }, tokens: 3 }] })],
    ["having parts of a text", textWith({ parts: undefined })],
    ["text that is encoded already", entryWith({ content: encodedText("Tea.", "user") })],
    ["text from which more was removed", entryWith({ content: encodedText("Tea.", "user", { removed: 2, kinds: ["bidi"] }) })],
    ["text from which others were removed", entryWith({ content: encodedText("Tea.", "user", { removed: 2, kinds: ["tags"] }) })],
    ["prompt", {}, { prompt: "planner" }],
    ["developer role", {}, { developerRole: true }],
    ["budget", {}, { budgetTokens: 899 }],
    ["earlier cut", {}, { cut: { note: { dropped: true } } }],
    ["steps of history", {}, { history: { lowWater: 0.6 } }],
    ["counter", {}, { counter: { ...perCodePoint } satisfies TokenCounter }],
    ["dialect", {}, { dialect: { ...dialect } }],
    ["name of a tool", {}, { tools: [{ ...tool, name: "search" }] }],
    ["description of a tool", {}, { tools: [{ ...tool, description: "Sees." }] }],
    ["parameters of a tool", {}, { tools: [{ ...tool, parameters: {} }] }],
    ["number of tools", {}, { tools: [tool, tool] }],
    ["names", {}, { names: { speaker: ["Bob"], tool: ["look"] } }],
    ["number of names", {}, { names: { speaker: ["Ann", "Bob"], tool: ["look"] } }],
    ["slots of names", {}, { names: { speaker: ["Ann"] } }],
  ])("is made for another %s", (_, given, changed) => {
    const first = again()
    const other = again(given, changed)
    expect(other).not.toBe(first)
    // And it is remembered beside the first one.
    expect(again(given, changed)).toBe(other)
    expect(again()).toBe(first)
  })
})
