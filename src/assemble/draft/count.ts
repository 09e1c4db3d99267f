import type { CountedTool, TokenCounter } from "../../core/ports.ts"
import type { Message, Prefix, Span } from "../../core/span.ts"
import type { MessageCounter } from "../tokens/counted-message.ts"
import { messageCounter } from "../tokens/message-counter.ts"
import type { Draft, DraftMessage, EvenMessage, Piece, WrittenMessage } from "./draft.ts"
import { findPrefixes, messageHash } from "./prefixes.ts"

/** A draft whose messages are written out and whose spans are counted. */
interface CountedDraft {
  readonly messages: readonly Message[]
  readonly spans: readonly Span[]
  /** Tokens of the messages' contents. */
  readonly tokens: number
  /** Tokens that the provider adds around the messages. */
  readonly overheadTokens: number
  readonly prefixes: readonly Prefix[]
}

/** The counter of a draft, and the native tools that go with the request. */
export interface Counting {
  readonly counter: TokenCounter
  readonly tools?: readonly CountedTool[] | undefined
}

/** Counts a draft: the contents of its messages and what the provider adds around them. */
export function countDraft({ messages }: Draft, counting: Counting): number {
  const counter = messageCounter(counting.counter)
  let tokens = 0
  for (const message of messages) tokens += messageTokens(message, counter)
  if (!counting.counter.overhead) return tokens
  const sketches = messages.map((message) => message.written?.message ?? new Unwritten(message))
  return tokens + overheadOf(sketches, counting)
}

/** Writes a draft out as messages, counts its spans, and finds the prefix of each stability. */
export function countSpans(draft: Draft, counting: Counting): CountedDraft {
  const counter = messageCounter(counting.counter)
  const written: WrittenMessage[] = []
  const messages: Message[] = []
  const spans: Span[] = []
  let tokens = 0
  for (const [index, message] of draft.messages.entries()) {
    const own = writeMessage(message, index, counter)
    written.push(own)
    messages.push(own.message)
    for (const span of own.spans) spans.push(span)
    tokens += own.growth.tokens
  }
  return {
    messages,
    spans,
    tokens,
    overheadTokens: overheadOf(messages, counting),
    prefixes: findPrefixes(messages, spans, written),
  }
}

function overheadOf(
  messages: readonly { readonly role: string; readonly content: string }[],
  { counter, tools }: Counting,
): number {
  return counter.overhead?.(messages, ...(tools ? [tools] : [])) ?? 0
}

/** A message whose content is joined only when it is read, because the overhead of a provider seldom depends on it. */
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

/** Writes a message out and counts it, once for each counter. Its spans are made once for each index that it has. */
function writeMessage(draft: DraftMessage, index: number, counter: MessageCounter): WrittenMessage {
  const known = draft.written?.counter === counter ? draft.written : undefined
  if (known?.index === index) return known
  const { role, calls, pieces } = draft
  const growth = known?.growth ?? counter.growth(pieces)
  const message = known?.message ?? { role, content: joined(pieces), ...calls }
  const even = known ? known.even : evenMessage(message, pieces)
  const spans: Span[] = []
  for (const piece of pieces) spans.push(spanOf(piece, index, growth.shares[spans.length] ?? 0))
  draft.written = { counter, message, growth, index, spans, even }
  return draft.written
}

/** Tokens of a message's content. */
function messageTokens({ written, pieces }: DraftMessage, counter: MessageCounter): number {
  return written?.counter === counter ? written.growth.tokens : counter.message(pieces)
}

/** The text of pieces that follow each other. */
function joined(pieces: readonly Piece[]): string {
  let text = ""
  for (const piece of pieces) text += piece.text
  return text
}

function spanOf({ text, key, part, trust, stability, source }: Piece, message: number, tokens: number): Span {
  return source
    ? { text, message, key, part, trust, stability, source, tokens }
    : { text, message, key, part, trust, stability, tokens }
}

function evenMessage(message: Message, pieces: readonly Piece[]): EvenMessage | undefined {
  const [first] = pieces
  if (!first) return undefined
  for (const piece of pieces) if (piece.stability !== first.stability) return undefined
  return { hash: messageHash(message, pieces), spans: pieces.length, units: message.content.length }
}
