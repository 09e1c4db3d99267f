import type { Injection } from "../core/value.ts"
import { compositionOf, rememberComposition } from "./composition.ts"
import { lastRender, rememberRender, withoutTrailing } from "./last-render.ts"
import type { PromptStack } from "./prompt-stack.ts"
import { joinSpans, type RenderedSpan, type RenderOptions, renderSpans } from "./render.ts"
import { type ChatMessage, isSystemMessage, joinTexts, splitSystemPrompt, textOf } from "./split-system-prompt.ts"

/** How messages are composed. */
export interface ComposeOptions extends RenderOptions {
  /** True where the adapter has a `developer` role; else developer items stand in the system message. Default false. */
  readonly developerRole?: boolean
}

/** A system or developer message made by {@link composeMessages}. */
export interface SystemMessage {
  readonly role: "system" | "developer"
  readonly content: string
}

/**
 * One system message on top (none where there is nothing to say), a developer message where asked for, then the history
 * without its old system messages, the very same objects (S8). Composing the result again changes nothing; after a JSON
 * round trip that holds for the stack that composed it, under `## key` headings (S10).
 */
export function composeMessages<M extends ChatMessage>(
  stack: PromptStack,
  messages: readonly M[],
  { developerRole = false, heading = "key" }: ComposeOptions = {},
): (M | SystemMessage)[] {
  const { basePrompt, history } = splitSystemPrompt(messages)
  const base = withoutOwnSections(stack, messages, basePrompt)
  const isApart = (item: Injection) => developerRole && item.role === "developer"
  const systemItems = stack.items().filter((item) => !isApart(item))
  const developerItems = stack.items().filter(isApart)
  if (heading === "key") {
    const [system, developer] = [joinSpans(renderSpans("", systemItems)), joinSpans(renderSpans("", developerItems))]
    rememberRender(stack, { base, system, developer })
  }
  return [
    ...composed("system", base, renderSpans(base, systemItems, { heading })),
    ...composed("developer", "", renderSpans("", developerItems, { heading })),
    ...history,
  ]
}

/** The base of messages that may have been composed before: what this stack appended to them is taken off again. */
function withoutOwnSections(stack: PromptStack, messages: readonly ChatMessage[], basePrompt: string): string {
  const last = lastRender(stack)
  if (!last || basePrompt === last.base) return basePrompt
  const texts = messages.filter(isSystemMessage).map((message) => {
    const own = message.role === "developer" ? last.developer : last.system
    return compositionOf(message)?.base ?? withoutTrailing(textOf(message), own)
  })
  return joinTexts(texts)
}

function composed(role: SystemMessage["role"], base: string, spans: readonly RenderedSpan[]): SystemMessage[] {
  if (spans.length === 0) return []
  const message = { role, content: joinSpans(spans) }
  rememberComposition(message, { base, spans })
  return [message]
}
