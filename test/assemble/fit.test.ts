import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type AssembleOptions, assemble } from "../../src/assemble/assemble.ts"
import { PromptStrataError } from "../../src/core/errors.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import type { Assembly } from "../../src/core/span.ts"
import type { Fit } from "../../src/core/value.ts"
import type { InjectionInput } from "../../src/stack/injection.ts"
import { PromptStack } from "../../src/stack/prompt-stack.ts"
import { said, turnState } from "../support/turns.ts"
import { anyItems, anyTurn, perCodePoint, perRun, stackOf, turnPrompts } from "./arbitrary-turn.ts"

const withOverhead: TokenCounter = { ...perCodePoint, overhead: (messages) => 4 * messages.length }
const counters = { perCodePoint, perRun, withOverhead }

/** The assembly, or the minimum that the error names. */
function tryAssemble(stack: PromptStack, options: AssembleOptions): Assembly | number {
  try {
    return assemble(stack, options)
  } catch (error) {
    if (!PromptStrataError.isInstance(error) || error.code !== "budget") throw error
    expect(error.message).toContain(String(error.evidence.minimumTokens))
    return Number(error.evidence.minimumTokens)
  }
}

function contentTokens(assembly: Assembly, key: string): number {
  return assembly.spans.reduce((sum, span) => (span.key === key && span.part === "content" ? sum + span.tokens : sum), 0)
}

/** The system message of items in the stack dialect, whose sections are `## key`, a line break and the text. */
function chat(items: Record<string, { text: string; fit: Fit }>, budgetTokens?: number): Assembly {
  const stack = new PromptStack(Object.entries(items).map(([key, { text, fit }]) => ({ key, content: text, fit })))
  return assemble(stack, {
    dialect: "stack",
    prompt: "chat",
    counter: perCodePoint,
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
  })
}

describe("S13 a budget", () => {
  test("is never passed, or an error names a minimum that is enough, with any counter, prompt, stack and turn", () => {
    const anywhere = fc.record({
      where: fc.constantFrom(...turnPrompts),
      counter: fc.constantFrom(...(Object.keys(counters) as (keyof typeof counters)[])).map((name) => counters[name]),
      items: anyItems,
      turn: anyTurn,
      budgetTokens: fc.oneof(fc.nat(60), fc.nat(800)),
    })
    let fitted = 0
    let cut = 0
    fc.assert(
      fc.property(anywhere, ({ where, counter, items, turn, budgetTokens }) => {
        const options = { ...where, turn, counter, budgetTokens }
        const first = tryAssemble(stackOf(items), options)
        if (typeof first === "number") {
          expect(first).toBeGreaterThan(budgetTokens)
          const atMinimum = tryAssemble(stackOf(items), { ...options, budgetTokens: first })
          if (typeof atMinimum === "number") expect.fail(`${first} tokens were said to be enough; now it is ${atMinimum}`)
          expect(atMinimum.tokens + atMinimum.overheadTokens).toBeLessThanOrEqual(first)
          return
        }
        fitted++
        if (Object.keys(first.cut).length > 0) cut++
        expect(first.tokens + first.overheadTokens).toBeLessThanOrEqual(budgetTokens)
        expect(tryAssemble(stackOf(items), options)).toEqual(first)
      }),
      { numRuns: 1200 },
    )
    expect(Math.min(fitted, cut)).toBeGreaterThan(100)
  })

  test("what is reserved is never dropped and never has fewer tokens", () => {
    fc.assert(
      fc.property(anyItems, anyTurn, fc.nat(500), (given, turn, budgetTokens) => {
        const items = given.filter(({ key }) => key !== "memories" && key !== "question")
        const options = { dialect: "stack", prompt: "chat", turn, counter: perCodePoint }
        const whole = assemble(stackOf(items.map(({ fit: _fit, ...item }) => item)), options)
        const tight = tryAssemble(stackOf(items), { ...options, budgetTokens })
        if (typeof tight === "number") return
        for (const { key, fit } of stackOf(items).items()) {
          const decision = tight.decisions.findLast((candidate) => candidate.key === key)
          if (!fit?.minTokens || !decision || decision.fate === "unplaced") continue
          expect(decision.fate).not.toBe("dropped")
          expect(contentTokens(tight, key)).toBeGreaterThanOrEqual(Math.min(fit.minTokens, contentTokens(whole, key)))
        }
      }),
      { numRuns: 800 },
    )
  })

  test("a ceiling holds also when there is room, unless more is reserved", () => {
    fc.assert(
      fc.property(anyItems, (items) => {
        const free = items.map((item): InjectionInput => {
          const { rank = 0, shrink = "drop", maxTokens = 1000 } = item.fit ?? {}
          return { ...item, fit: { rank, shrink, maxTokens } }
        })
        const assembly = assemble(stackOf(free), { dialect: "stack", prompt: "chat", counter: perCodePoint })
        for (const { key, fit } of stackOf(free).items()) {
          const decision = assembly.decisions.find((candidate) => candidate.key === key)
          if (decision && fit) expect(decision.toTokens).toBeLessThanOrEqual(fit.maxTokens ?? 0)
        }
      }),
      { numRuns: 500 },
    )
  })

  test("what has the lowest rank gives way first and wholly: nothing of a higher rank is cut while a lower one has something left", () => {
    const shrinks = fc.constantFrom("drop", "head", "tail", "headTail") as fc.Arbitrary<Fit["shrink"]>
    const items = fc.array(fc.record({ rank: fc.nat(4), shrink: shrinks, length: fc.integer({ min: 1, max: 200 }) }), {
      maxLength: 5,
    })
    fc.assert(
      fc.property(items, fc.nat(600), (rules, budgetTokens) => {
        const given = Object.fromEntries(
          rules.map(({ rank, shrink, length }, index) => [`k${index}`, { text: "x".repeat(length), fit: { rank, shrink } }]),
        )
        const { decisions } = chat(given, budgetTokens)
        const order = decisions.toSorted((a, b) => rankOf(a.key) - rankOf(b.key))
        const firstNotGone = order.findIndex(({ fate }) => fate !== "dropped")
        expect(order.slice(firstNotGone + 1).filter(({ fate }) => firstNotGone >= 0 && fate !== "kept")).toEqual([])
        function rankOf(key: string): number {
          return given[key]?.fit.rank ?? 0
        }
      }),
      { numRuns: 500 },
    )
  })

  test("the persona is cut last, after the items of hooks and sessions, the tools and the history", () => {
    const stack = new PromptStack([
      { key: "persona", content: "p".repeat(100), scope: "global", fit: { rank: 100, shrink: "headTail", minTokens: 1 } },
      { key: "hook", content: "h".repeat(100), scope: "turn" },
      { key: "session", content: "s".repeat(100), scope: "session" },
    ])
    const turn = turnState("?", {
      history: Array.from({ length: 20 }, (_, i) => said(i % 2 === 0 ? "user" : "assistant", `message ${i}`)),
      memories: [{ text: "m".repeat(50) }],
    })
    const fates = (budgetTokens: number) => {
      const { decisions } = assemble(stack, { dialect: "layered", turn, counter: perCodePoint, budgetTokens })
      return Object.fromEntries(decisions.map(({ key, fate }) => [key, fate]))
    }
    const all = { persona: "kept", hook: "kept", session: "kept", question: "kept", history: "kept", memories: "kept" }
    const whole = assemble(stack, { dialect: "layered", turn, counter: perCodePoint }).tokens
    expect(fates(whole)).toEqual(all)
    expect(fates(whole - 1)).toEqual({ ...all, history: "shortened" })
    const gone = { ...all, history: "dropped", memories: "dropped" }
    expect(fates(whole - 280)).toEqual({ ...gone, hook: "dropped" })
    expect(fates(whole - 380)).toEqual({ ...gone, hook: "dropped", session: "dropped" })
    expect(fates(whole - 500)).toEqual({ ...gone, hook: "dropped", session: "dropped", persona: "shortened" })
  })

  test.each<[Fit["shrink"], string]>([
    ["head", "## a\n0123456789abcdefg\n\n[...cut here: 17 of 100 characters kept...]"],
    ["tail", "## a\n[...cut here: 17 of 100 characters kept...]\n\njklmnopqrstuvwxyz"],
    ["headTail", "## a\n0123456789abcd\n\n[...cut here: 17 of 100 characters kept...]\n\nxyz"],
  ])("%s leaves as much as the budget has room for, around a visible notice", (shrink, content) => {
    const text = `0123456789abcdefg${"-".repeat(66)}jklmnopqrstuvwxyz`
    const { messages, tokens, decisions, cut } = chat({ a: { text, fit: { rank: 7, shrink } } }, content.length)
    expect(messages).toEqual([{ role: "system", content }])
    expect(tokens).toBe(content.length)
    expect(decisions).toEqual([
      {
        key: "a",
        fate: "shortened",
        fromTokens: 105,
        toTokens: tokens,
        reason: "over budget, and rank 7 is the lowest left",
      },
    ])
    expect(cut).toEqual({ a: { characters: 17 } })
  })

  test("entries go from the oldest on, and the notice stands where they were", () => {
    const turn = turnState("?", {
      memories: ["the first, a long one", "the second, a long one", "three", "four"].map((text) => ({ text })),
    })
    const content = "[memory context]\n[...earlier entries left out: 2...]\nthree\nfour\n[/memory context]\n\n?"
    const whole = assemble(new PromptStack(), { dialect: "layered", turn, counter: perCodePoint })
    const budgetTokens = (whole.messages[0]?.content.length ?? 0) + content.length
    const tight = assemble(new PromptStack(), { dialect: "layered", turn, counter: perCodePoint, budgetTokens })
    expect(tight.messages.at(-1)?.content).toBe(content)
    expect(tight.cut).toEqual({ memories: { entries: 2, of: 4 } })
    expect(tight.spans.find(({ part }) => part === "notice")).toMatchObject({ key: "memories", trust: "author" })
  })

  test("a message's entries go from the oldest on; the notice stands before what is left, never in the assistant's mouth", () => {
    const history = ["u1", "a1", "u2", "a2", "u3", "a3"].map((text) =>
      said(text[0] === "u" ? "user" : "assistant", text.repeat(30)),
    )
    const messages = (kept: number) =>
      assemble(new PromptStack(), {
        dialect: "stack",
        prompt: "chat",
        turn: turnState("?", { history }),
        counter: perCodePoint,
        cut: { history: { entries: kept, of: 6 } },
      }).messages.map(({ role, content }) => `${role}: ${content.replaceAll(/(..)\1{29}/g, "$1")}`)
    const notice = (count: number) => `[...earlier entries left out: ${count}...]`
    expect(messages(4)).toEqual([`user: ${notice(2)}\n\nu2`, "assistant: a2", "user: u3", "assistant: a3", "user: ?"])
    expect(messages(3)).toEqual([`user: ${notice(3)}`, "assistant: a2", "user: u3", "assistant: a3", "user: ?"])
    expect(messages(0)).toEqual([`user: ${notice(6)}\n\n?`])
  })

  test("a cut that saves nothing is not made: the notice would be longer than what it stands for", () => {
    const { messages, cut } = chat(
      { a: { text: "tiny", fit: { rank: 1, shrink: "head" } }, b: { text: "b", fit: { rank: 2, shrink: "drop" } } },
      9,
    )
    expect(messages).toEqual([{ role: "system", content: "## b\nb" }])
    expect(cut).toEqual({ a: { dropped: true } })
  })

  test("items of one group are dropped together, and none where one of them is reserved", () => {
    const drop = (rank: number, rest: Partial<Fit> = {}): Fit => ({ rank, shrink: "drop", group: "g", ...rest })
    const items = (reserved: Partial<Fit>) => ({
      a: { text: "aaaaaaaaaa", fit: drop(1) },
      b: { text: "bbbbbbbbbb", fit: drop(9, reserved) },
      c: { text: "cccccccccc", fit: { rank: 5, shrink: "drop" } as Fit },
    })
    const free = chat(items({}), 45)
    expect(free.decisions.map(({ key, fate, reason }) => [key, fate, reason])).toEqual([
      ["a", "dropped", "over budget, and rank 1 is the lowest left"],
      ["b", "dropped", "dropped with a, of its group"],
      ["c", "kept", ""],
    ])
    expect(chat(items({ minTokens: 1 }), 45).decisions.map(({ fate }) => fate)).toEqual(["kept", "kept", "dropped"])
  })

  test("what is not in the prompt is not cut: omitted, disabled, in a branch not taken", () => {
    const stack = new PromptStack([
      { key: "final_system", content: "x".repeat(300), fit: { rank: 0, shrink: "headTail" } },
      { key: "off", content: "x".repeat(300), enabled: false, fit: { rank: 0, shrink: "drop" } },
      { key: "on", content: "x".repeat(300), fit: { rank: 50, shrink: "drop" } },
    ])
    const { decisions, cut } = assemble(stack, {
      dialect: "layered",
      turn: turnState("?"),
      counter: perCodePoint,
      budgetTokens: 600,
    })
    expect(decisions.map(({ key, fate }) => [key, fate])).toEqual([
      ["final_system", "unplaced"],
      ["on", "dropped"],
      ["question", "kept"],
    ])
    expect(cut).toEqual({ on: { dropped: true } })
  })

  test("an impossible budget is an error that names the minimum and the largest items", () => {
    const stack = new PromptStack([{ key: "law", content: "x".repeat(50), fit: { rank: 1, shrink: "headTail", minTokens: 50 } }])
    const make = () =>
      assemble(stack, {
        dialect: "stack",
        prompt: "chat",
        turn: turnState("y".repeat(30)),
        counter: perCodePoint,
        budgetTokens: 10,
      })
    expect(make).toThrow(
      /expected a prompt of at most 10 tokens; with everything cut that may be cut it still has 87\.\nRaise the budget to 87 or more, or shorten the largest items: law \(57\), question \(30\)/,
    )
    expect(make).toThrow(
      expect.objectContaining({ code: "budget", evidence: expect.objectContaining({ budgetTokens: 10, minimumTokens: 87 }) }),
    )
  })
})
