import type { Message } from "../core/message.ts"
import type { TokenCounter } from "../core/ports.ts"
import type { Span } from "../core/span.ts"
import type { Draft, Piece } from "./draft.ts"

/** A draft with its messages written out and every span counted. */
export interface CountedDraft {
  readonly messages: readonly Message[]
  readonly spans: readonly Span[]
  /** Of the messages' contents. */
  readonly tokens: number
  /** What the provider adds around them. */
  readonly overheadTokens: number
}

/** Tokens of a draft: its messages' contents, each counted whole, and what the provider adds around them. */
export function countDraft(draft: Draft, counter: TokenCounter): number {
  const messages = draftMessages(draft)
  const tokens = messages.reduce((sum, message) => sum + counter.count(message.content), 0)
  return tokens + (counter.overhead?.(messages) ?? 0)
}

/**
 * Counts each message whole and each span apart. Parts of a text seldom add up to its count, so theirs are scaled to it:
 * the spans' tokens always sum to the message's, and none is negative.
 */
export function countSpans(draft: Draft, counter: TokenCounter): CountedDraft {
  const messages = draftMessages(draft)
  const byMessage = messages.map((): Piece[] => [])
  for (const piece of draft.pieces) byMessage[piece.message]?.push(piece)
  const counted = messages.map(({ content }, index) => spansOf(byMessage[index] ?? [], counter.count(content), counter))
  const spans = counted.flat()
  const tokens = spans.reduce((sum, span) => sum + span.tokens, 0)
  return { messages, spans, tokens, overheadTokens: counter.overhead?.(messages) ?? 0 }
}

function draftMessages(draft: Draft): Message[] {
  const contents = draft.roles.map((): string[] => [])
  for (const piece of draft.pieces) contents[piece.message]?.push(piece.text)
  return draft.roles.map((role, index) => ({ role, content: (contents[index] ?? []).join(""), ...draft.calls.get(index) }))
}

function spansOf(pieces: readonly Piece[], tokens: number, counter: TokenCounter): Span[] {
  const counts = pieces.length === 1 ? [tokens] : pieces.map(({ text }) => counter.count(text))
  const shares = scaled(counts, tokens)
  return pieces.map((piece, index) => ({ ...piece, tokens: shares[index] ?? 0 }))
}

/** The counts, scaled to sum to `total`; what rounding takes from one goes to the next. */
function scaled(counts: readonly number[], total: number): readonly number[] {
  const sum = counts.reduce((all, count) => all + count, 0)
  if (sum === total) return counts
  let counted = 0
  let given = 0
  return counts.map((count, index) => {
    counted += sum === 0 ? 1 / counts.length : count
    const upTo = index === counts.length - 1 ? total : Math.round((counted * total) / (sum || 1))
    const share = upTo - given
    given = upTo
    return share
  })
}
