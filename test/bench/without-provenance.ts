import { Memo } from "../../src/core/memo.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import type { Message } from "../../src/core/span.ts"
import { liveInjections } from "../../src/prompt/assemble/assemble-request.ts"
import { countDraft } from "../../src/prompt/assemble/draft/count.ts"
import { fit } from "../../src/prompt/assemble/fit/fit.ts"
import { promptFile } from "../../src/prompt/dialect/dialect.ts"
import { shippedDialect } from "../../src/prompt/dialect/shipped.ts"
import { combineInjections } from "../../src/prompt/layers/combine-injections.ts"
import type { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"

/** A request of nothing but blocks: composed, fitted and counted as ever, but nothing tells what came from where and what became of it. */
export function withoutProvenance(
  stack: PromptStack,
  counter: TokenCounter,
  budgetTokens: number,
): { readonly messages: readonly Message[]; readonly tokens: number } {
  const [dialect, prompt] = [shippedDialect("layered", "en"), "chat"]
  const memo = new Memo()
  const { injections, places } = liveInjections(combineInjections(stack, undefined, { dialect, memo }).injections, memo)
  const { draft } = fit(injections, {
    dialect,
    file: promptFile(dialect, prompt),
    places,
    counting: { counter, memo },
    memo,
    budgetTokens,
    history: {},
  })
  const messages = draft.messages.map(({ role, pieces }) => ({ role, content: pieces.map(({ text }) => text).join("") }))
  return { messages, tokens: countDraft(draft, { counter, memo }) }
}
