import { compositionOf } from "./composition.ts"

/** Any message that has a role; its content is a string, or parts of which the ones with a `text` are read. */
export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
}

/** The system prompt and the messages that are left. */
export interface SplitMessages<M> {
  readonly basePrompt: string
  readonly history: M[]
}

/** True for the messages that make up the system prompt. */
export function isSystemMessage(message: ChatMessage): boolean {
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
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== "").join("\n\n")
}

/** The text of a message's content: the string, or its text parts joined by a blank line. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content
  return Array.isArray(content) ? joinTexts(content.map(partText)) : ""
}

function partText(part: unknown): string {
  if (typeof part === "string") return part
  const isTextPart = typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
  return isTextPart ? String(part.text) : ""
}
