import type { Message } from "../core/message.ts"
import type { CountedTool, TokenCounter } from "../core/ports.ts"
import type { Prefix, Span } from "../core/span.ts"
import type { Draft, DraftMessage, Piece } from "./draft.ts"
import { findPrefixes } from "./prefixes.ts"
import type { Growth } from "./tokens/counted-message.ts"
import { messageCounter } from "./tokens/message-counter.ts"

/** A draft with its messages written out and every span counted. */
export interface CountedDraft {
  readonly messages: readonly Message[]
  readonly spans: readonly Span[]
  /** Of the messages' contents. */
  readonly tokens: number
  /** What the provider adds around them. */
  readonly overheadTokens: number
  readonly prefixes: readonly Prefix[]
}

/** With what a draft is counted: a counter, and the native tools that go with the request. */
export interface Counting {
  readonly counter: TokenCounter
  readonly tools?: readonly CountedTool[]
}

/** Tokens of a draft: its messages' contents, and what the provider adds around them. */
export function countDraft(draft: Draft, counting: Counting): number {
  const counter = messageCounter(counting.counter)
  const tokens = draft.messages.reduce((sum, message) => sum + counter.message(message.pieces), 0)
  return (
    tokens +
    (counting.counter.overhead
      ? overheadOf(
          draft.messages.map((message) => new Unwritten(message)),
          counting,
        )
      : 0)
  )
}

/** Writes a draft out and counts it: its messages, its spans, and the prefix that ends with each stability. */
export function countSpans(draft: Draft, counting: Counting): CountedDraft {
  const counter = messageCounter(counting.counter)
  const messages = draft.messages.map(({ role, calls, pieces }): Message => ({ role, content: joined(pieces), ...calls }))
  const growths = draft.messages.map((message) => counter.growth(message.pieces))
  const spans = spansOf(draft, growths)
  const tokens = growths.reduce((sum, growth) => sum + growth.tokens, 0)
  return {
    messages,
    spans,
    tokens,
    overheadTokens: overheadOf(messages, counting),
    prefixes: findPrefixes(messages, spans, (message, count) => growths[message]?.upTo(count) ?? 0),
  }
}

function spansOf(draft: Draft, growths: readonly Growth[]): Span[] {
  const spans: Span[] = []
  for (let message = 0; message < draft.messages.length; message++) {
    const pieces = draft.messages[message]?.pieces ?? []
    const shares = growths[message]?.shares ?? []
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index]
      if (piece) spans.push(spanOf(piece, message, shares[index] ?? 0))
    }
  }
  return spans
}

function spanOf({ text, key, part, trust, stability, source }: Piece, message: number, tokens: number): Span {
  return source
    ? { text, message, key, part, trust, stability, source, tokens }
    : { text, message, key, part, trust, stability, tokens }
}

function overheadOf(
  messages: readonly { readonly role: string; readonly content: string }[],
  { counter, tools }: Counting,
): number {
  return counter.overhead?.(messages, ...(tools ? [tools] : [])) ?? 0
}

/** A message whose content is written out only when it is read: what providers add seldom depends on it. */
class Unwritten {
  readonly role: string
  readonly #pieces: DraftMessage["pieces"]

  constructor({ role, pieces }: DraftMessage) {
    this.role = role
    this.#pieces = pieces
  }

  get content(): string {
    return joined(this.#pieces)
  }
}

function joined(pieces: DraftMessage["pieces"]): string {
  let text = ""
  for (const piece of pieces) text += piece.text
  return text
}
