import fc from "fast-check"
import { expect, test } from "vitest"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { Memo } from "../../../../src/core/memo.ts"
import type { TokenCounter } from "../../../../src/core/ports.ts"
import type { Injection } from "../../../../src/core/value.ts"
import { assembleInjections } from "../../../../src/prompt/assemble/assemble.ts"
import { shippedDialect } from "../../../../src/prompt/dialect/shipped.ts"
import { combineInjections } from "../../../../src/prompt/layers/combine-injections.ts"
import type { InjectionInput } from "../../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { ran, said, turnState } from "../../../support/turns.ts"
import { perCodePoint } from "../arbitrary-turn.ts"
import { SlowFitter } from "./slow-fit.ts"

/** A word of some length. Entries are longer than a notice, so that fewer of them are always shorter. */
const long = (name: string, length: number): string => `${name}:`.padEnd(50 + length, name)

const option = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined })
const rule = fc
  .record({
    rank: fc.constantFrom(1, 10, 15, 15, 75),
    shrink: fc.constantFrom("drop", "drop", "head", "tail", "headTail", "entries"),
    minTokens: fc.option(fc.constantFrom(0, 1, 20, 60), { nil: undefined, freq: 3 }),
    maxTokens: fc.option(fc.constantFrom(0, 30, 70, 500), { nil: undefined, freq: 3 }),
    group: fc.option(fc.constantFrom("g", "h"), { nil: undefined, freq: 3 }),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))

const lengths = fc.array(fc.nat(40), { minLength: 1, maxLength: 5 })
const item = fc
  .record({ fit: option(rule), length: fc.integer({ min: 1, max: 90 }), list: option(lengths), scores: option(lengths) })
  .chain(({ fit, length, list, scores }) =>
    fc
      .record({ role: fc.constantFrom("system", "developer"), scope: fc.constantFrom("turn", "session", "global") })
      .map((rest) => ({
        content: list ? list.map((own, at) => ({ text: long(`e${at}`, own) })) : "x".repeat(length),
        ...rest,
        ...(fit ? { fit: list && scores ? { ...fit, scores } : fit } : {}),
      })),
  )

const anyRequest = fc.record({
  dialect: fc.constantFrom("layered", "stack"),
  prompt: fc.constantFrom("chat", "planner"),
  items: fc.array(item, { maxLength: 5 }),
  history: fc.array(fc.tuple(fc.constantFrom("user", "assistant"), fc.nat(60)), { maxLength: 12 }),
  memories: lengths,
  results: fc.array(fc.nat(40), { maxLength: 3 }),
  share: fc.double({ min: 0.1, max: 1, noNaN: true }),
  lowWater: option(fc.constantFrom(0, 0.2, 0.9, 1)),
  reserveTokens: option(fc.constantFrom(0, 50, 200, 400)),
  overhead: fc.constantFrom(0, 4),
})

test("S13 S16 a request at a budget is the one that a search finds which tries every size one by one", () => {
  let [cuts, failures] = [0, 0]
  fc.assert(
    fc.property(anyRequest, ({ items, history, memories, results, share, lowWater, reserveTokens, overhead, ...where }) => {
      const dialect = shippedDialect(where.dialect, "en")
      const counter: TokenCounter =
        overhead === 0 ? perCodePoint : { ...perCodePoint, overhead: (sent) => overhead * sent.length }
      const stack = new PromptStack(items.map((one, at) => inputOf(at, one)))
      const turn = turnState("What now?", {
        history: history.map(([role, length], at) => said(role as "user" | "assistant", long(`h${at}`, length))),
        memories: memories.map((length, at) => ({ text: long(`m${at}`, length) })),
        steps: results.map((length, at) => ({ type: "run", call: long(`c${at}`, 0), run: ran("t", {}, long(`r${at}`, length)) })),
      })
      const { injections: given } = combineInjections(stack, turn, { dialect, memo: new Memo() })
      const marks = { ...(lowWater === undefined ? {} : { lowWater }), ...(reserveTokens === undefined ? {} : { reserveTokens }) }
      const options = { dialect, prompt: where.prompt, counter, history: marks }
      const whole = assembleInjections(given, options)
      const budgetTokens = Math.round((whole.tokens + whole.overheadTokens) * share)
      const slow = new SlowFitter(given, { ...options, budgetTokens })
      const expected = slow.fit()
      const made = fitted(given, { ...options, budgetTokens })
      if (typeof made === "number") {
        failures++
        expect([made, false]).toEqual([expected.request.tokens + expected.request.overheadTokens, expected.fits])
        return
      }
      if (Object.keys(expected.cut).length > 0) cuts++
      expect(expected.fits).toBe(true)
      expect(made.cut).toEqual(expected.cut)
      expect(made.messages).toEqual(expected.request.messages)
      expect(made.spans).toEqual(expected.request.spans)
      expect([made.tokens, made.overheadTokens]).toEqual([expected.request.tokens, expected.request.overheadTokens])
      const cutDecisions = made.decisions.filter(({ key }) => Object.hasOwn(expected.cut, key))
      expect(cutDecisions.map(({ key, fate, reason }) => ({ key, fate, reason }))).toEqual(
        cutDecisions.map(({ key }) => ({
          key,
          fate: "dropped" in (expected.cut[key] ?? {}) ? "dropped" : "shortened",
          reason: expected.reasons[key],
        })),
      )
      for (const { key, fromTokens } of cutDecisions) if (key !== "history") expect(fromTokens, key).toBe(slow.from(key))
    }),
    { numRuns: runs(1_200), seed: seedOf(17) },
  )
  expect(cuts).toBeGreaterThan(runs(1_200) / 3)
  expect(failures).toBeGreaterThan(0)
})

function inputOf(at: number, one: object): InjectionInput {
  const isText = typeof (one as InjectionInput).content === "string"
  return { key: at === 3 && isText ? "persona" : `k${at}`, ...one } as InjectionInput
}

function fitted(given: readonly Injection[], options: Parameters<typeof assembleInjections>[1]) {
  try {
    return assembleInjections(given, options)
  } catch (error) {
    if (!PromptStrataError.isInstance(error) || error.code !== "budget") throw error
    return error.evidence.minimumTokens
  }
}
