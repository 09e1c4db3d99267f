import fc from "fast-check"
import type { InjectionInput } from "../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { anyText } from "../encode/arbitrary-text.ts"

const keys = ["a", "b", "c", "x y", "__proto__", "constructor", "知识"]

/** Texts a prompt may be made of, also ones that look like rendered sections. */
export const promptText: fc.Arbitrary<string> = fc.oneof(
  anyText,
  fc
    .array(fc.constantFrom("## a", "## b\nyes", "yes", "no", "\n", "\n\n", " ", "## __proto__", "base"), { maxLength: 10 })
    .map((parts) => parts.join("")),
)

/** One item of any kind. */
export const anyInjection: fc.Arbitrary<InjectionInput> = fc.record({
  key: fc.constantFrom(...keys),
  content: fc.oneof(
    promptText,
    fc.constantFrom("yes", "no"),
    fc.boolean(),
    fc.record({ text: promptText, trust: fc.constantFrom("author", "user") }),
    fc.array(fc.record({ speaker: promptText, text: promptText }), { maxLength: 3 }),
  ),
  trust: fc.constantFrom("author", "user", "memory"),
  priority: fc.constantFrom(10, 20, 100, -1, 20.5),
  role: fc.constantFrom("system", "developer"),
  scope: fc.constantFrom("global", "session", "turn"),
  enabled: fc.boolean(),
})

/** A stack of up to ten items, some replaced along the way. */
export const anyStack: fc.Arbitrary<() => PromptStack> = fc
  .array(anyInjection, { maxLength: 10 })
  .map((items) => () => new PromptStack(items))
