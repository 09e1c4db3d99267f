import type { Injection } from "../core/value.ts"
import { lastRender, rememberRender, withoutTrailing } from "./last-render.ts"
import type { PromptStack } from "./prompt-stack.ts"
import { joinSpans, type RenderedSpan, type RenderOptions, renderSpans } from "./render.ts"

/** How messages are composed. */
interface ComposeOptions extends RenderOptions {
  /** True where the adapter has a `developer` role; else developer items stand in the system message. Default false. */
  readonly developerRole?: boolean
}

/** A system or developer message made by {@link composeMessages}. */
interface SystemMessage {
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

/** Any message that has a role; its content is a string, or parts of which the ones with a `text` are read. */
interface ChatMessage {
  readonly role: string
  readonly content?: unknown
}

/** The system prompt and the messages that are left. */
interface SplitMessages<M> {
  readonly basePrompt: string
  readonly history: M[]
}

/** True for the messages that make up the system prompt. */
function isSystemMessage(message: ChatMessage): boolean {
  return message.role === "system" || message.role === "developer"
}

/**
 * All system and developer messages joined by a blank line, and the other messages, the very same objects in order (S7).
 * Blank ones are left out. A message made by `composeMessages` gives the base it was composed from, as long as it is the
 * same object; from a copy, only the stack that wrote it can tell its sections from the base.
 */
export function splitSystemPrompt<M extends ChatMessage>(messages: readonly M[]): SplitMessages<M> {
  return {
    basePrompt: joinTexts(messages.filter(isSystemMessage).map((message) => compositionOf(message)?.base ?? textOf(message))),
    history: messages.filter((message) => !isSystemMessage(message)),
  }
}

/** Texts joined by a blank line, blank ones left out. */
function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== "").join("\n\n")
}

/** The text of a message's content: the string, or its text parts joined by a blank line. */
function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content
  return Array.isArray(content) ? joinTexts(content.map(partText)) : ""
}

function partText(part: unknown): string {
  if (typeof part === "string") return part
  const isTextPart = typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
  return isTextPart ? String(part.text) : ""
}

/** Where a composed message came from: the prompt without the stack's items, and the spans that tile its content. */
interface Composition {
  readonly base: string
  readonly spans: readonly RenderedSpan[]
}

const compositions = new WeakMap<object, Composition & { readonly content: string }>()

/** Notes where a message came from; the message itself stays plain data. */
function rememberComposition(message: { readonly content: string }, composition: Composition): void {
  compositions.set(message, { ...composition, content: message.content })
}

/** The base and spans of a message made by `composeMessages` (S10); `undefined` for others, copies, and once its content was changed. */
export function compositionOf(message: { readonly content?: unknown }): Composition | undefined {
  const known = compositions.get(message)
  return known && known.content === message.content ? { base: known.base, spans: known.spans } : undefined
}
