import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../../src/prompt/assemble/assembler.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { freshCounter } from "../fresh-counter.ts"

describe("S13 a run of items that can only be dropped", () => {
  const item = fc.record({
    rank: fc.integer({ min: 0, max: 5 }),
    priority: fc.integer({ min: 1, max: 3 }),
    role: fc.constantFrom("system" as const, "developer" as const),
    scope: fc.constantFrom("global" as const, "session" as const, "turn" as const),
    words: fc.integer({ min: 1, max: 20 }),
  })

  test("leaves the very request that is composed without what was dropped", () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 20, max: 120 }),
        fc.boolean(),
        fc.constantFrom("layered", "fay", "soul", "root"),
        (items, room, developer, dialect) => {
          const injections = items.map(({ rank, words, ...rest }, index) => ({
            key: `item_${index}`,
            content: `Item ${index}:${" word".repeat(words)}`,
            fit: { rank, shrink: "drop" as const },
            ...rest,
          }))
          const options = { dialect, prompt: "chat", roles: { developer } }
          const { tokens, overheadTokens } = assemble(new PromptStack([]), options)
          const budgetTokens = tokens + overheadTokens + room
          const fitted = assemble(new PromptStack(injections), { ...options, budgetTokens })
          const left = injections.filter(({ key }) => !Object.hasOwn(fitted.cut, key))
          const composed = assemble(new PromptStack(left), options)
          expect(fitted.messages).toEqual(composed.messages)
          expect(fitted.spans).toEqual(composed.spans)
        },
      ),
    )
  })

  test("drops as few as without anything remembered, after the text of one became longer or shorter", () => {
    const textOf = (words: number): string => " understandable".repeat(words)
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 2, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(11), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 60, max: 2_000 }),
        (lengths, changes, budgetTokens) => {
          const itemOf = (words: number, rank: number) => ({
            key: `item_${rank}`,
            content: textOf(words),
            fit: { rank, shrink: "drop" as const },
          })
          const stack = new PromptStack(lengths.map(itemOf))
          const options = { prompt: "chat", budgetTokens }
          const remembered = { ...options, counter: freshCounter(), assembler: createAssembler() }
          assemble(stack, remembered)
          for (const [at, words] of changes) {
            stack.add(itemOf(words, at % lengths.length))
            const items = stack.items().map((item) => ({ ...item }))
            const anew = assemble(new PromptStack(items), { ...options, counter: freshCounter() })
            expect(assemble(stack, remembered)).toEqual(anew)
          }
        },
      ),
    )
  })
})
