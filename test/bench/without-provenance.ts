import { liveInjections } from "../../src/assemble/assemble.ts"
import { countDraft } from "../../src/assemble/draft/count.ts"
import { fit } from "../../src/assemble/fit/fit.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import type { Message } from "../../src/core/span.ts"
import { promptFile } from "../../src/dialect/render-notice.ts"
import { shippedDialect } from "../../src/dialect/shipped.ts"
import { combineInjections } from "../../src/layers/combine-injections.ts"
import type { PromptStack } from "../../src/stack/prompt-stack.ts"

/** A request of nothing but blocks: composed, fitted and counted as ever, but nothing tells what came from where and what became of it. */
export function withoutProvenance(
  stack: PromptStack,
  counter: TokenCounter,
  budgetTokens: number,
): { readonly messages: readonly Message[]; readonly tokens: number } {
  const [dialect, prompt] = [shippedDialect("layered", "en"), "chat"]
  const { injections, places } = liveInjections(combineInjections(stack, undefined, dialect))
  const { draft } = fit(injections, {
    dialect,
    prompt,
    file: promptFile(dialect, prompt),
    places,
    counting: { counter },
    budgetTokens,
    history: {},
  })
  const messages = draft.messages.map(({ role, pieces }) => ({ role, content: pieces.map(({ text }) => text).join("") }))
  return { messages, tokens: countDraft(draft, { counter }) }
}
