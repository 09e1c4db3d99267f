import type { Assembly } from "../../../src/core/span.ts"
import type { FitRule } from "../../../src/core/value.ts"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { perCodePoint } from "./arbitrary-turn.ts"

/** The system message of items in the stack dialect, whose sections are `## key`, a line break and the text. */
export function budgetedChat(items: Record<string, { text: string; fit: FitRule }>, budgetTokens?: number): Assembly {
  const stack = new PromptStack(Object.entries(items).map(([key, { text, fit }]) => ({ key, content: text, fit })))
  return assemble(stack, {
    dialect: "stack",
    prompt: "chat",
    counter: perCodePoint,
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
  })
}
