import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../src/assemble/assemble.ts"
import { PromptStack } from "../../../src/stack/prompt-stack.ts"

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
        (items, budgetTokens, developer) => {
          const injections = items.map(({ rank, words, ...rest }, index) => ({
            key: `item_${index}`,
            content: `Item ${index}:${" word".repeat(words)}`,
            fit: { rank, shrink: "drop" as const },
            ...rest,
          }))
          const options = { dialect: "layered", prompt: "chat", roles: { developer } }
          const fitted = assemble(new PromptStack(injections), { ...options, budgetTokens })
          const left = injections.filter(({ key }) => !Object.hasOwn(fitted.cut, key))
          const composed = assemble(new PromptStack(left), options)
          expect(fitted.messages).toEqual(composed.messages)
          expect(fitted.spans).toEqual(composed.spans)
        },
      ),
    )
  })
})
