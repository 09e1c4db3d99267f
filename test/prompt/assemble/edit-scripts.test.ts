import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { TokenCounter } from "../../../src/core/ports.ts"
import type { Assembly } from "../../../src/core/span.ts"
import { type AssembleOptions, assemble } from "../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../src/prompt/assemble/assembler.ts"

import type { Dialect } from "../../../src/prompt/dialect/dialect.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import type { TurnState } from "../../../src/prompt/layers/turn-state.ts"
import type { InjectionInput } from "../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Tool } from "../../../src/prompt/tools/tool.ts"
import { amount, runs, seedOf } from "../../support/size.ts"
import { said, turnState } from "../../support/turns.ts"
import { freshCounter } from "./fresh-counter.ts"

/** Lists of so many entries are printed from their last printing, and messages of so many pieces are remembered. */
const pool = Array.from({ length: 24 }, (_, at) =>
  defineTool({ name: `tool_${at}`, description: `Does thing ${at}`, execute: () => "ok" }),
)

/** What a request is made from. */
interface Given {
  readonly tools: readonly Tool[]
  readonly skills: readonly string[]
  readonly items: readonly string[]
  readonly history: TurnState["history"]
  readonly question: string
  readonly budgetTokens: number | undefined
}

const begin: Given = {
  tools: pool.slice(0, 18),
  skills: Array.from({ length: 17 }, (_, at) => `Skill ${at}.`),
  items: ["One.", "Two."],
  history: [],
  question: "Hi?",
  budgetTokens: undefined,
}

const words = fc.constantFrom("", "a", "Well then.", " don't", "今天天气", "# Head", "\u0001", "- tool_3: x", "1".repeat(30))
const at = fc.nat(20)
const edit: fc.Arbitrary<(given: Given) => Given> = fc.oneof(
  fc.tuple(at, at).map(([from, to]) => (given: Given) => ({
    ...given,
    tools: given.tools.includes(pool[to] as Tool)
      ? given.tools.toSpliced(from, 1)
      : given.tools.toSpliced(from, 0, pool[to] as Tool),
  })),
  fc.tuple(at, words).map(([index, text]) => (given: Given) => ({ ...given, skills: given.skills.toSpliced(index, 1, text) })),
  fc.tuple(at, words).map(([index, text]) => (given: Given) => ({ ...given, skills: given.skills.toSpliced(index, 0, text) })),
  at.map((index) => (given: Given) => ({ ...given, skills: given.skills.toSpliced(index, 3) })),
  fc.tuple(fc.nat(4), words).map(([index, text]) => (given: Given) => ({
    ...given,
    items: given.items.toSpliced(index, 1, text),
  })),
  words.map((text) => (given: Given) => ({
    ...given,
    history: [...given.history, said(given.history.length % 2 === 0 ? "user" : "assistant", text)],
    question: `${text}?`,
  })),
  fc.constant((given: Given) => ({ ...given, history: given.history.slice(2) })),
  fc
    .option(fc.integer({ min: 60, max: 400 }), { nil: undefined })
    .map((budgetTokens) => (given: Given) => ({ ...given, budgetTokens })),
)

function requestOf(
  given: Given,
  skills: readonly object[],
  made: { readonly dialect: Dialect; readonly counter: TokenCounter },
): Assembly | string {
  const { tools, items, history, question, budgetTokens } = given
  const stack = new PromptStack(items.map((content, index) => ({ key: `item_${index}`, content, trust: "user" })))
  stack.add({ key: "skills", content: skills, scope: "global", fit: { rank: 75, shrink: "entries" } } as InjectionInput)
  const turn = turnState(question, { tools, history })
  try {
    return assemble(stack, { ...made, prompt: "planner", turn, ...(budgetTokens === undefined ? {} : { budgetTokens }) })
  } catch (error) {
    if (PromptStrataError.isInstance(error) && error.code === "budget") return error.message
    throw error
  }
}

describe("a request that follows others", () => {
  test.each(["layered", "stack", "stack-cached", "fay"])(
    "S12 S14 is the one that nothing went before, whatever was edited (%s)",
    (name) => {
      fc.assert(
        fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
          const made = { dialect: shippedDialect(name, "en"), counter: freshCounter(), assembler: createAssembler() }
          const entries = new Map<string, object>()
          let given = begin
          const asked = [(same: Given) => same, ...edits].map((apply) => {
            given = apply(given)
            const skills = given.skills.map((text, index) => {
              const entry = entries.get(`${index % 3}${text}`) ?? { content: { text, trust: "user" } }
              entries.set(`${index % 3}${text}`, entry)
              return entry
            })
            return { given, request: requestOf(given, skills, made) }
          })
          for (const { given, request } of asked) {
            const anew = { ...given, tools: given.tools.map((tool) => ({ ...tool })), history: structuredClone(given.history) }
            const skills = given.skills.map((text) => ({ content: { text, trust: "user" } }))
            const made = { dialect: shippedDialect(name, "en"), counter: freshCounter() }
            const [printed, expected] = [request, requestOf(anew, skills, made)].map((one) => JSON.stringify(one))
            if (printed !== expected) expect(printed).toBe(expected)
          }
        }),
        { numRuns: Math.ceil(amount("EDIT_SCRIPTS") / 3), seed: seedOf(31) },
      )
    },
  )

  test.each(["layered", "stack", "stack-cached", "fay"])(
    "S14 S16 is the same for a chat whose history is cut, grows and is edited (%s)",
    (name) => {
      const line = fc.string({ minLength: 0, maxLength: 3 }).map((end) => `${"Some words. ".repeat(6)}${end}`)
      const change: fc.Arbitrary<(history: TurnState["history"]) => TurnState["history"]> = fc.oneof(
        {
          weight: 6,
          arbitrary: fc.tuple(line, line).map(([a, b]) => (history: TurnState["history"]) => [
            ...history,
            said("user", a),
            said("assistant", b),
          ]),
        },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.nat(30), line).map(
            ([place, text]) =>
              (history: TurnState["history"]) =>
                history.with(Math.min(place, history.length - 1), said("user", text)),
          ),
        },
        {
          weight: 1,
          arbitrary: fc
            .nat(30)
            .map(
              (place) => (history: TurnState["history"]) => history.toSpliced(place % history.length, 1, ...history.slice(0, 1)),
            ),
        },
        { weight: 1, arbitrary: fc.constant((history: TurnState["history"]) => [said("assistant", ""), ...history]) },
      )
      const assembled = (history: TurnState["history"], remembered: Omit<AssembleOptions, "turn">): string => {
        const stack = new PromptStack([{ key: "persona", content: "You are Fay.", scope: "global" }])
        const turn = turnState("And now?", { history })
        return JSON.stringify(assemble(stack, { dialect: name, ...remembered, prompt: "chat", turn, budgetTokens: 500 }))
      }
      const begun = Array.from({ length: 24 }, (_, at) =>
        said(at % 2 === 0 ? "user" : "assistant", `${"Some words. ".repeat(6)}${at}`),
      )
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
          const remembered = { counter: freshCounter(), assembler: createAssembler() }
          let history: TurnState["history"] = begun
          for (const apply of changes) {
            history = apply(history)
            const anew = assembled(structuredClone(history), { counter: freshCounter() })
            const request = assembled(history, remembered)
            if (request !== anew) expect(request).toBe(anew)
          }
        }),
        { numRuns: runs(12), seed: seedOf(37) },
      )
    },
  )
})
