import { checkOptions, checkType } from "../../core/check-options.ts"
import type { Injection } from "../../core/value.ts"
import { lastRender, rememberRender, withoutTrailing } from "./last-render.ts"
import type { PromptStack } from "./prompt-stack.ts"
import { joinSpans, type RenderedSpan, type RenderOptions, renderSpans } from "./render.ts"

/** Options of {@link composeMessages}. */
interface ComposeOptions extends RenderOptions {
  /** True if the adapter has a `developer` role; else developer items stand in the system message. Default false. */
  readonly developerRole?: boolean
}

/** A system or developer message made by {@link composeMessages}. */
interface SystemMessage {
  readonly role: "system" | "developer"
  readonly content: string
}

/**
 * Composes one system message (none if it would be empty), a developer message if `developerRole` is set, then the history
 * without its old system messages, as the very same objects (S8). To compose the result again changes nothing. After a JSON
 * round trip this holds for the stack that composed it, under `## key` headings (S10).
 */
export function composeMessages<M extends ChatMessage>(
  stack: PromptStack,
  messages: readonly M[],
  options: ComposeOptions = {},
): (M | SystemMessage)[] {
  checkType("stack.items of composeMessages", stack?.items, "function")
  checkType("the messages of composeMessages", messages, "objects")
  checkOptions("composeMessages", options, { developerRole: true, heading: true })
  const { developerRole = false, heading = "key" } = options
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

/** The base of messages that may have been composed before. The sections that this stack appended are removed. */
function withoutOwnSections(stack: PromptStack, messages: readonly ChatMessage[], basePrompt: string): string {
  const last = lastRender(stack)
  if (!last || basePrompt === last.base) return basePrompt
  const texts = messages.filter(isSystemMessage).map((message) => {
    const own = message.role === "developer" ? last.developer : last.system
    return compositionOf(message)?.base ?? withoutTrailing(contentText(message), own)
  })
  return joinTexts(texts)
}

function composed(role: SystemMessage["role"], base: string, spans: readonly RenderedSpan[]): SystemMessage[] {
  if (spans.length === 0) return []
  const message = { role, content: joinSpans(spans) }
  compositions.set(message, { base, spans, content: message.content })
  return [message]
}

/** Any message with a role. Its content is a string, or a list of parts; parts with a `text` are read. */
interface ChatMessage {
  readonly role: string
  readonly content?: unknown
}

/** The system prompt, and the other messages. */
interface SplitMessages<M> {
  readonly basePrompt: string
  readonly history: M[]
}

/** True for the messages that make up the system prompt. */
function isSystemMessage(message: ChatMessage): boolean {
  return message.role === "system" || message.role === "developer"
}

/**
 * Joins all system and developer messages by blank lines, without blank ones, and gives the other messages in order, as the very
 * same objects (S7). A message made by `composeMessages` gives the base from which it was composed, if it is the same object. In
 * a copy, only the stack that wrote it can tell its sections from the base.
 */
export function splitSystemPrompt<M extends ChatMessage>(messages: readonly M[]): SplitMessages<M> {
  checkType("the messages of splitSystemPrompt", messages, "objects")
  return {
    basePrompt: joinTexts(
      messages.filter(isSystemMessage).map((message) => compositionOf(message)?.base ?? contentText(message)),
    ),
    history: messages.filter((message) => !isSystemMessage(message)),
  }
}

/** Joins texts by blank lines. Blank texts are left out. */
function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== "").join("\n\n")
}

/** The text of a message's content: the string, or its text parts joined by a blank line. */
function contentText({ content }: ChatMessage): string {
  if (typeof content === "string") return content
  return Array.isArray(content) ? joinTexts(content.map(partText)) : ""
}

function partText(part: unknown): string {
  if (typeof part === "string") return part
  const isTextPart = typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
  return isTextPart ? String(part.text) : ""
}

/** The origin of a composed message: the prompt without the stack's items, and the spans of its content. */
interface Composition {
  readonly base: string
  readonly spans: readonly RenderedSpan[]
}

/** Compositions stand beside the messages, which stay plain data. */
const compositions = new WeakMap<object, Composition & { readonly content: string }>()

/** The base and the spans of a message made by `composeMessages` (S10); `undefined` for others, copies, and changed content. */
export function compositionOf(message: { readonly content?: unknown }): Composition | undefined {
  const known = compositions.get(message)
  return known && known.content === message.content ? { base: known.base, spans: known.spans } : undefined
}
