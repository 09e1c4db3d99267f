import { expect, test } from "vitest"
import type { TokenCounter } from "../../../src/core/ports.ts"
import type { Assembly } from "../../../src/core/span.ts"
import { type AssembleOptions, assemble } from "../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../src/prompt/assemble/assembler.ts"
import type { TurnState } from "../../../src/prompt/layers/turn-state.ts"
import type { InjectionInput } from "../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { ran, said, turnState } from "../../support/turns.ts"
import { freshCounter } from "./fresh-counter.ts"

/** The work of requests that follow each other: texts that are read, and what a tokenizer and a provider's formula are given. */
class Ledger {
  #work = { reads: 0, splits: 0, units: 0, formulas: 0, messages: 0 }
  readonly #rows: string[] = []
  readonly dialect: string
  readonly assembler = createAssembler()
  readonly counter: TokenCounter

  constructor(dialect: string) {
    this.dialect = dialect
    const { scan, ...counter } = freshCounter()
    this.counter = {
      ...counter,
      scan: (text, visit) => {
        this.#work.splits++
        this.#work.units += text.length
        scan?.(text, visit)
      },
      overhead: (messages, tools = []) => {
        this.#work.formulas++
        this.#work.messages += messages.length
        return 3 * messages.length + 5 * tools.length
      },
    }
  }

  /** The same object, whose text tells when it is read. */
  watched<Value extends object>(value: Value & { readonly text: string }): Value {
    const { text } = value
    const get = () => {
      this.#work.reads++
      return text
    }
    return Object.defineProperty(value, "text", { get, enumerable: true })
  }

  request(name: string, stack: PromptStack, options: AssembleOptions, read = (_: Assembly): unknown => undefined): Assembly {
    const assembly = assemble(stack, { ...this.made, prompt: "chat", ...options })
    read(assembly)
    this.#row(name)
    return assembly
  }

  get made() {
    return { dialect: this.dialect, counter: this.counter, assembler: this.assembler }
  }

  #row(name: string): void {
    const { reads, splits, units, formulas, messages } = this.#work
    this.#rows.push(`${name}: ${reads} reads, ${splits} splits of ${units}, ${formulas} formulas of ${messages}`)
    this.#work = { reads: 0, splits: 0, units: 0, formulas: 0, messages: 0 }
  }

  get text(): string {
    return this.#rows.join("\n")
  }
}

const words = (name: string, count: number) => `${name} ${"has some words, ".repeat(count)}and ends.`

function scene(ledger: Ledger) {
  const item = (at: number, more: Partial<InjectionInput> = {}, text = words(`Item ${at}`, at % 5)): InjectionInput => ({
    key: `item_${at}`,
    content: ledger.watched({ text, trust: "user" as const }),
    fit: { rank: 20 + (at % 3), shrink: "drop" },
    ...more,
  })
  const entries = Array.from({ length: 20 }, (_, at) => ({
    content: ledger.watched({ text: words(`Skill ${at}`, 2), trust: "user" as const }),
  }))
  const items = [
    { key: "persona", content: ledger.watched({ text: words("Fay", 30), trust: "author" as const }), scope: "global" as const },
    { key: "skills", content: entries, scope: "global" as const, fit: { rank: 75, shrink: "entries" as const } },
    ...Array.from({ length: 24 }, (_, at) => item(at)),
    item(24, { fit: { rank: 40, shrink: "headTail" } }, words("A long one", 60)),
  ] as InjectionInput[]
  const lines = Array.from({ length: 72 }, (_, at) =>
    ledger.watched(said(at % 2 === 0 ? "user" : "assistant", words(`Line ${at}`, 3 + (at % 4)))),
  )
  const turn = (count: number, more: Partial<TurnState> = {}) =>
    turnState(`Question ${count}?`, {
      history: lines.slice(0, count),
      memories: [ledger.watched({ text: words("Tea", 4) })],
      ...more,
    })
  return { item, items, turn }
}

test("S14 a request does the work of what is new in it: fewer is better, and more needs a reason", () => {
  const ledger = new Ledger("layered")
  const { item, items, turn } = scene(ledger)
  const stack = new PromptStack(items)
  ledger.request("the first", stack, { turn: turn(20) })
  ledger.request("the same", stack, { turn: turn(20) })
  ledger.request("its spans and prefixes", stack, { turn: turn(20) }, ({ spans, prefixes }) => [spans, prefixes])
  ledger.request("its decisions", stack, { turn: turn(20) }, ({ decisions }) => decisions)
  ledger.request("read again", stack, { turn: turn(20) }, ({ spans, prefixes, decisions, cut }) => [
    spans,
    prefixes,
    decisions,
    cut,
  ])
  ledger.request("a turn later", stack, { turn: turn(22) })
  ledger.request("with its spans", stack, { turn: turn(22) }, ({ spans }) => spans)
  stack.add(item(7, {}, words("Item 7 is new", 2)))
  ledger.request("one item changed", stack, { turn: turn(22) })
  stack.remove("item_3")
  ledger.request("one item gone", stack, { turn: turn(22) })
  stack.add(item(30))
  ledger.request("one item more", stack, { turn: turn(22) })
  ledger.request("nobody else is known", stack, { turn: turn(22, { agentName: "Ida" }) })
  expect(ledger.text).toMatchInlineSnapshot(`
    "the first: 420 reads, 153 splits of 7278, 1 formulas of 22
    the same: 1 reads, 0 splits of 0, 0 formulas of 0
    its spans and prefixes: 1 reads, 218 splits of 3724, 0 formulas of 0
    its decisions: 27 reads, 0 splits of 0, 0 formulas of 0
    read again: 1 reads, 0 splits of 0, 0 formulas of 0
    a turn later: 33 reads, 4 splits of 177, 1 formulas of 24
    with its spans: 1 reads, 1 splits of 19, 0 formulas of 0
    one item changed: 44 reads, 3 splits of 122, 1 formulas of 24
    one item gone: 53 reads, 1 splits of 18, 1 formulas of 24
    one item more: 63 reads, 4 splits of 96, 1 formulas of 24
    nobody else is known: 208 reads, 0 splits of 0, 1 formulas of 24"
  `)
})

test("S13 S14 a request that is cut does the work of what is tried", () => {
  const ledger = new Ledger("layered")
  const { item, items, turn } = scene(ledger)
  const stack = new PromptStack(items)
  const at = (name: string, budgetTokens: number, count = 40, more: AssembleOptions = {}) =>
    ledger.request(`${name}, ${budgetTokens}`, stack, { turn: turn(count), budgetTokens, ...more }, ({ cut }) => cut)
  at("all", 2_400)
  at("a part of the history", 1_700)
  at("a little less", 1_650)
  at("none of it, and some items", 1_000)
  at("more items", 900)
  at("all that can", 560)
  at("again a part of the history", 1_700)
  at("a turn later", 1_700, 42)
  at("another turn later", 1_700, 44)
  const { cut } = at("with room for later steps", 1_700, 44, { history: { reserveTokens: 300 } })
  ledger.request(
    "decisions",
    stack,
    { turn: turn(44), budgetTokens: 1_700, history: { reserveTokens: 300 } },
    ({ decisions }) => decisions,
  )
  const run = (name: string) => ({ type: "run" as const, call: `{"tool":"${name}"}`, run: ran(name, {}, words(name, 8)) })
  const steps = ["look", "search"].map(run)
  for (const count of [1, 2]) {
    const state = turn(44, { steps: steps.slice(0, count) })
    ledger.request(`step ${count}`, stack, { prompt: "planner", turn: state, budgetTokens: 1_700, cut })
  }
  stack.add(item(7, {}, words("Item 7 is new", 2)))
  at("one item changed", 1_000, 44)
  stack.add(item(24, { fit: { rank: 40, shrink: "headTail" } }, words("A long one, changed", 60)))
  at("the long one changed", 1_000, 44)
  at("a history longer than all", 1_000, 68)
  at("a turn later", 1_000, 70)
  at("with a lower mark", 1_000, 70, { history: { lowWater: 0.8 } })
  expect(ledger.text).toMatchInlineSnapshot(`
    "all, 2400: 510 reads, 177 splits of 9076, 2 formulas of 84
    a part of the history, 1700: 135 reads, 3 splits of 57, 4 formulas of 77
    a little less, 1650: 188 reads, 8 splits of 153, 5 formulas of 66
    none of it, and some items, 1000: 237 reads, 160 splits of 2982, 27 formulas of 134
    more items, 900: 233 reads, 27 splits of 229, 26 formulas of 132
    all that can, 560: 205 reads, 86 splits of 2859, 32 formulas of 64
    again a part of the history, 1700: 132 reads, 0 splits of 0, 3 formulas of 76
    a turn later, 1700: 192 reads, 8 splits of 255, 5 formulas of 69
    another turn later, 1700: 192 reads, 8 splits of 319, 5 formulas of 73
    with room for later steps, 1700: 188 reads, 6 splits of 114, 5 formulas of 97
    decisions: 27 reads, 123 splits of 969, 0 formulas of 0
    step 1: 55 reads, 19 splits of 577, 2 formulas of 20
    step 2: 29 reads, 6 splits of 197, 2 formulas of 24
    one item changed, 1000: 274 reads, 4 splits of 140, 27 formulas of 142
    the long one changed, 1000: 250 reads, 9 splits of 2105, 27 formulas of 142
    a history longer than all, 1000: 209 reads, 32 splits of 2319, 23 formulas of 46
    a turn later, 1000: 165 reads, 9 splits of 274, 23 formulas of 46
    with a lower mark, 1000: 159 reads, 0 splits of 0, 23 formulas of 46"
  `)
})

test("S14 the last four requests are remembered, and one that was asked for again stays longer", () => {
  const ledger = new Ledger("stack")
  const { items, turn } = scene(ledger)
  const stack = new PromptStack(items)
  const ask = (count: number) => assemble(stack, { ...ledger.made, prompt: "chat", turn: turn(count) })
  const [first, second, third, fourth] = [2, 4, 6, 8].map(ask)
  expect([2, 4, 6, 8].map(ask)).toEqual([first, second, third, fourth])
  for (const [count, known] of [
    [2, first],
    [4, second],
    [6, third],
    [8, fourth],
    [2, first],
  ] as const)
    expect(ask(count)).toBe(known)
  ask(10)
  // The fifth takes the place of the one that was asked for longest ago.
  expect(ask(2)).toBe(first)
  expect(ask(8)).toBe(fourth)
  expect(ask(6)).toBe(third)
  expect(ask(4)).not.toBe(second)
})

test("S14 native tools are counted once, and so is a list of calls", () => {
  const ledger = new Ledger("layered")
  const { items, turn } = scene(ledger)
  const stack = new PromptStack(items)
  let printed = 0
  const tools = ["look", "search"].map((name) => ({
    name,
    description: "Looks.",
    parameters: {},
    toJSON() {
      printed++
      return { name }
    },
  }))
  const { overhead: _, ...plain } = ledger.counter
  const ask = (count: number, budgetTokens?: number) =>
    assemble(stack, {
      ...ledger.made,
      prompt: "chat",
      counter: plain,
      turn: turn(count),
      tools,
      ...(budgetTokens ? { budgetTokens } : {}),
    })
  ask(4)
  expect(printed).toBe(2)
  for (const budgetTokens of [900, 900, 1_500]) ask(6, budgetTokens)
  expect(printed).toBe(2)
})

test("names of tools are read once in each request, and their entries are made once", () => {
  const ledger = new Ledger("layered")
  const { items, turn } = scene(ledger)
  const stack = new PromptStack(items)
  let reads = 0
  const tools = ["look", "search"].map((name) => {
    const tool = defineTool({ name, description: "Looks.", execute: () => "ok" })
    return Object.defineProperty({ ...tool }, "name", { get: () => reads++ >= 0 && name, enumerable: true })
  })
  const ask = (count: number) => assemble(stack, { ...ledger.made, prompt: "planner", turn: turn(count, { tools }) })
  ask(2)
  const once = reads
  ask(4)
  expect([once, reads - once]).toMatchInlineSnapshot(`
    [
      4,
      2,
    ]
  `)
})
