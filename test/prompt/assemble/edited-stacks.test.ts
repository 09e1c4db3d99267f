import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { Memo } from "../../../src/core/memo.ts"
import type { Assembly, CutRecord } from "../../../src/core/span.ts"
import type { Injection } from "../../../src/core/value.ts"
import { type AssembleOptions, assemble } from "../../../src/prompt/assemble/assemble.ts"
import { liveInjections } from "../../../src/prompt/assemble/assemble-request.ts"
import { type Assembler, createAssembler } from "../../../src/prompt/assemble/assembler.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import type { InjectionInput } from "../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { amount, seedOf } from "../../support/size.ts"
import { said, turnState } from "../../support/turns.ts"
import { freshCounter, tokensOf } from "./fresh-counter.ts"

/** A request made from a stack of many items, and what its budget and its turn are. */
interface Given {
  readonly items: readonly InjectionInput[]
  readonly words: readonly string[]
  readonly budgetTokens: number | undefined
  /** True if the cut of the request before is repeated, as in the later steps of a turn. */
  readonly repeats: boolean
  readonly developer: boolean
}

type Edit = (given: Given) => Given

const text = fc.constantFrom(
  "One.",
  "",
  " ",
  "a",
  "'ll see",
  "  indented",
  "ends in blanks  \n\n",
  "\n\n]]",
  "今天天气很好",
  "[/context]",
  "[context: item_1]",
  "1234567",
  "x".repeat(40),
  "Some words that take a few more tokens than others do, and a number: 12 365.",
  "\u202etags\u{e0041}",
)
const trust = fc.constantFrom("author", "user", "memory")
const fit = fc.option(
  fc.record({
    rank: fc.integer({ min: 0, max: 4 }),
    shrink: fc.constantFrom("drop", "drop", "drop", "headTail"),
    group: fc.option(fc.constantFrom("one", "two"), { nil: undefined, freq: 5 }),
    minTokens: fc.option(fc.constantFrom(0, 3), { nil: undefined, freq: 5 }),
    maxTokens: fc.option(fc.constantFrom(4, 12), { nil: undefined, freq: 9 }),
  }),
  { freq: 9, nil: undefined },
)
const item = fc
  .record({
    key: fc.nat(60).map((at) => (at > 57 ? `lorebook/${at}` : at > 55 ? "persona" : `item_${at}`)),
    content: text,
    trust,
    fit,
    priority: fc.constantFrom(10, 100, 100, 100, 200),
    role: fc.constantFrom("system", "system", "system", "developer"),
    scope: fc.constantFrom("turn", "session", "global"),
    enabled: fc.nat(30).map((chance) => chance > 0),
  })
  .map(({ fit: rule, ...rest }): InjectionInput => {
    if (!rule) return rest as InjectionInput
    const { group, minTokens, maxTokens, ...others } = rule
    const given = Object.entries({ group, minTokens, maxTokens }).filter(([, value]) => value !== undefined)
    return { ...rest, fit: { ...others, ...Object.fromEntries(given) } } as InjectionInput
  })

const at = fc.nat(40)
const ofItem = (arbitrary: fc.Arbitrary<Partial<InjectionInput>>): fc.Arbitrary<Edit> =>
  fc.tuple(at, arbitrary).map(([index, change]) => (given) => ({
    ...given,
    items: given.items.map((one, place) => (place === index % given.items.length ? { ...one, ...change } : one)),
  }))
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: ofItem(text.map((content) => ({ content }))) },
  { weight: 2, arbitrary: ofItem(item.map(({ fit: rule }) => (rule ? { fit: rule } : {}))) },
  ofItem(item.map(({ priority = 100, role = "system", scope = "turn" }) => ({ priority, role, scope }))),
  ofItem(fc.record({ trust, enabled: fc.nat(3).map((chance) => chance > 0) })),
  {
    weight: 2,
    arbitrary: fc.tuple(at, item).map(
      ([index, one]): Edit =>
        (given) => ({ ...given, items: given.items.toSpliced(index, 0, one) }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(at, fc.nat(5)).map(
      ([index, count]): Edit =>
        (given) => ({ ...given, items: given.items.toSpliced(index, count) }),
    ),
  },
  fc.tuple(at, at).map(
    ([from, to]): Edit =>
      (given) => {
        const moved = given.items[from]
        return moved ? { ...given, items: given.items.toSpliced(from, 1).toSpliced(to, 0, moved) } : given
      },
  ),
  {
    weight: 2,
    arbitrary: fc.option(fc.integer({ min: 30, max: 900 }), { nil: undefined, freq: 5 }).map(
      (budgetTokens): Edit =>
        (given) => ({ ...given, budgetTokens }),
    ),
  },
  text.map(
    (word): Edit =>
      (given) => ({ ...given, words: [...given.words, word] }),
  ),
  fc.nat(3).map(
    (count): Edit =>
      (given) => ({ ...given, words: given.words.slice(count) }),
  ),
  fc.boolean().map(
    (repeats): Edit =>
      (given) => ({ ...given, repeats }),
  ),
  fc.boolean().map(
    (developer): Edit =>
      (given) => ({ ...given, developer }),
  ),
)

const begin = fc
  .tuple(
    fc.array(item, { minLength: 12, maxLength: 40 }),
    fc.option(fc.integer({ min: 60, max: 400 }), { nil: undefined, freq: 3 }),
  )
  .map(([items, budgetTokens]): Given => ({ items, words: [], budgetTokens, repeats: false, developer: false }))

function requestOf(
  { items, words, budgetTokens, developer }: Given,
  cut: CutRecord | undefined,
  made: Omit<AssembleOptions, "turn">,
): Assembly | string {
  const history = words.slice(0, -1).map((word, index) => said(index % 2 === 0 ? "user" : "assistant", word))
  const turn = turnState(words.at(-1) ?? "", { history })
  const limits = { ...(budgetTokens === undefined ? {} : { budgetTokens }), ...(cut ? { cut } : {}) }
  try {
    return assemble(new PromptStack(items), { ...made, roles: { developer }, turn, ...limits })
  } catch (error) {
    if (PromptStrataError.isInstance(error) && error.code === "budget") return error.message
    throw error
  }
}

describe("a stack that is edited between requests", () => {
  test.each([
    { name: "layered", locale: "en", prompt: "chat" },
    { name: "layered", locale: "zh-CN", prompt: "chat" },
    { name: "stack", locale: "en", prompt: "planner" },
    { name: "fay", locale: "zh-CN", prompt: "planner" },
  ])("S12 S13 S14 gives what it gives when nothing went before, with its tokens ($name, $locale)", ({ name, locale, prompt }) => {
    const fresh = () => ({ dialect: shippedDialect(name, locale), counter: freshCounter(), prompt, assembler: createAssembler() })
    fc.assert(
      fc.property(begin, fc.array(edit, { minLength: 5, maxLength: 30 }), (first, edits) => {
        const made = fresh()
        let [given, cut]: [Given, CutRecord | undefined] = [first, undefined]
        const asked = [(same: Given) => same, ...edits].map((apply) => {
          given = apply(given)
          const repeated: CutRecord | undefined = given.repeats ? cut : undefined
          const request = requestOf(given, repeated, made)
          if (typeof request !== "string") cut = request.cut
          return { given, repeated, request }
        })
        for (const { given, repeated, request } of asked) {
          const [printed, anew] = [request, requestOf(given, repeated, fresh())].map((one) => JSON.stringify(one))
          if (printed !== anew) expect(printed).toBe(anew)
          if (typeof request === "string") continue
          const { messages, spans, tokens, prefixes } = request
          const counted = messages.reduce((sum, { content }) => sum + tokensOf(content), 0)
          const ofSpans = spans.reduce((sum, span) => sum + span.tokens, 0)
          expect([counted, ofSpans, prefixes.at(-1)?.tokens]).toEqual([tokens, tokens, tokens])
          expect(spans.map((span) => span.text).join("")).toBe(messages.map(({ content }) => content).join(""))
        }
      }),
      { numRuns: Math.ceil(amount("EDIT_SCRIPTS") / 10), seed: seedOf(47) },
    )
  })

  const ranked = Array.from({ length: 20 }, (_, index) => ({
    key: `item_${index}`,
    content: `Item ${index} has words.`,
    fit: { rank: index % 5, shrink: "drop" as const },
  }))
  type Item = (typeof ranked)[number] & { readonly enabled?: boolean }
  const cutOf = (items: readonly Item[], assembler?: Assembler) => {
    const options = { ...(assembler && { assembler }), prompt: "chat", budgetTokens: 120, turn: turnState("Hi") }
    const { cut, decisions } = assemble(new PromptStack(items), options)
    return [Object.keys(cut), decisions]
  }

  test.each<[string, Partial<Item>]>([
    ["changes its rank", { fit: { rank: 0, shrink: "drop" } }],
    ["is disabled", { enabled: false }],
    ["changes its words", { content: "Others." }],
  ])("S13 drops the same as one that nothing went before, where one item %s", (_, change) => {
    const edited = ranked.map((one, index) => (index === 3 ? { ...one, ...change } : one))
    const assembler = createAssembler()
    const before = cutOf(ranked, assembler)
    const after = cutOf(edited, assembler)
    expect(after).not.toEqual(before)
    expect(after).toEqual(cutOf(edited))
  })

  test("makes the record of what was cut once, however often and late it is read", () => {
    const options = { assembler: createAssembler(), prompt: "chat", turn: turnState("Hi") }
    const first = assemble(new PromptStack(ranked), { ...options, budgetTokens: 120 })
    const edited = ranked.map((one, index) => (index === 3 ? { ...one, content: "Others." } : one))
    assemble(new PromptStack(edited), { ...options, budgetTokens: 90 })
    const { cut } = first
    expect(cut).toEqual(JSON.parse(JSON.stringify(first)).cut)
    expect(first.cut).toBe(cut)
  })

  test("gives a key back to the turn's own injection where a stack's item no longer counts", () => {
    const injection = (content: string, enabled = true): Injection => ({
      ...{ key: "note", content, trust: "author", priority: 100, role: "system", scope: "turn", enabled },
    })
    const first: Injection = { ...injection("First."), key: "first" }
    const kept = injection("Kept.")
    const memo = new Memo()
    expect(liveInjections([first, kept, injection("Over it.")], memo).injections.map(({ content }) => content)).toEqual([
      "First.",
      "Over it.",
    ])
    const again = liveInjections([first, kept, injection("Over it.", false)], memo)
    expect(again.injections.map(({ content }) => content)).toEqual(["First.", "Kept."])
  })
})
