import type { Message } from "../../core/message.ts"
import type { Span } from "../../core/span.ts"
import type { MessageCounter } from "../tokens/counted-message.ts"
import type { DraftMessage, EvenMessage, Piece, WrittenMessage } from "./draft.ts"
import { messageHash } from "./message-hash.ts"

/** Writes a message out and counts it: once for each counter, and its spans once for each place that it stands in. */
export function writeMessage(draft: DraftMessage, index: number, counter: MessageCounter): WrittenMessage {
  const known = draft.written?.counter === counter ? draft.written : undefined
  if (known?.index === index) return known
  const growth = known?.growth ?? counter.growth(draft.pieces)
  const message = known?.message ?? messageOf(draft)
  const even = known ? known.even : evenMessage(message, draft.pieces)
  const spans = draft.pieces.map((piece, at) => spanOf(piece, index, growth.shares[at] ?? 0))
  draft.written = { counter, message, growth, index, spans, even }
  return draft.written
}

/** Tokens of a message's content. */
export function messageTokens({ written, pieces }: DraftMessage, counter: MessageCounter): number {
  return written?.counter === counter ? written.growth.tokens : counter.message(pieces)
}

function messageOf({ role, calls, pieces }: DraftMessage): Message {
  return { role, content: joined(pieces), ...calls }
}

/** The text of pieces that follow each other. */
export function joined(pieces: readonly Piece[]): string {
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
  const { stability } = first
  for (const piece of pieces) if (piece.stability !== stability) return undefined
  return { stability, hash: messageHash(message, pieces), spans: pieces.length, units: message.content.length }
}
