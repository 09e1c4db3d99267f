import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import type { TokenCounter } from "../../../../src/core/ports.ts"
import type { Assembly } from "../../../../src/core/span.ts"
import type { FitRule } from "../../../../src/core/value.ts"
import { type AssembleOptions, assemble } from "../../../../src/prompt/assemble/assemble.ts"
import type { InjectionInput } from "../../../../src/prompt/stack/injection.ts"
import type { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { isLong, runs } from "../../../support/size.ts"
import { anyItems, anyTurn, perCodePoint, perRun, stackOf, turnPrompts } from "../arbitrary-turn.ts"
import { budgetedChat } from "../budgeted-chat.ts"

const withOverhead: TokenCounter = { ...perCodePoint, overhead: (messages) => 4 * messages.length }
const counters = { perCodePoint, perRun, withOverhead }

/** The assembly, or the minimum that the error names. */
function tryAssemble(stack: PromptStack, options: AssembleOptions): Assembly | number {
  try {
    return assemble(stack, options)
  } catch (error) {
    if (!PromptStrataError.isInstance(error) || error.code !== "budget") throw error
    expect(error.message).toContain(String(error.evidence.minimumTokens))
    return error.evidence.minimumTokens
  }
}

function contentTokens(assembly: Assembly, key: string): number {
  return assembly.spans.reduce((sum, span) => (span.key === key && span.part === "content" ? sum + span.tokens : sum), 0)
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
      { numRuns: runs(1200) },
    )
    // Few cases may all be of one kind.
    if (isLong) expect(Math.min(fitted, cut)).toBeGreaterThan(100)
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
      { numRuns: runs(800) },
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
      { numRuns: runs(500) },
    )
  })

  test("what has the lowest rank gives way first and wholly: nothing of a higher rank is cut while a lower one has something left", () => {
    const shrinks = fc.constantFrom("drop", "head", "tail", "headTail") as fc.Arbitrary<FitRule["shrink"]>
    const items = fc.array(fc.record({ rank: fc.nat(4), shrink: shrinks, length: fc.integer({ min: 1, max: 200 }) }), {
      maxLength: 5,
    })
    fc.assert(
      fc.property(items, fc.nat(600), (rules, budgetTokens) => {
        const given = Object.fromEntries(
          rules.map(({ rank, shrink, length }, index) => [`k${index}`, { text: "x".repeat(length), fit: { rank, shrink } }]),
        )
        const { decisions } = budgetedChat(given, budgetTokens)
        const order = decisions.toSorted((a, b) => rankOf(a.key) - rankOf(b.key))
        const firstNotGone = order.findIndex(({ fate }) => fate !== "dropped")
        expect(order.slice(firstNotGone + 1).filter(({ fate }) => firstNotGone >= 0 && fate !== "kept")).toEqual([])
        function rankOf(key: string): number {
          return given[key]?.fit.rank ?? 0
        }
      }),
      { numRuns: runs(500) },
    )
  })
})
