import type { TextHash } from "../../../core/fingerprint.ts"
import type { Message, MessageRole, Span } from "../../../core/span.ts"
import type { Stability } from "../../../core/value.ts"
import { apart, type Countable, type Growth, type MessageCounter } from "../tokens/message-counter.ts"

/** A span that has no tokens and no message yet. */
export type Piece = Omit<Span, "tokens" | "message"> &
  Countable & {
    /** The pieces that it joins, if it stands for several that belong together, such as those of a rest item. */
    readonly inner?: readonly Piece[] | undefined
    /** Kept for the next request, because most pieces stand there too. */
    hash?: TextHash | undefined
    /** The span that the piece was the last time. */
    span?: Span | undefined
  }

/** The native calls of a message, beside its text. */
export type MessageCalls = Pick<Message, "toolCalls" | "toolCallId">

/** A composed message. Joined, its pieces are its content. */
export interface DraftMessage {
  readonly role: MessageRole
  /** The native calls it makes, or the call it answers. */
  readonly calls?: MessageCalls | undefined
  readonly pieces: readonly Piece[]
  /** The result of writing it out. It is kept, because an entry of history is the same message in all turns. */
  written?: WrittenMessage | undefined
}

/** A message of a draft, written out and counted. */
export interface WrittenMessage {
  readonly counter: MessageCounter
  readonly message: Message
  readonly growth: Growth
  readonly pieces: readonly Piece[]
  /** The runs of its pieces, once somebody asked for prefixes. */
  runs: readonly EvenRun[] | undefined
  /** Its spans, as they were made the last time, and the index of the message, which they name. */
  placed?: { readonly index: number; readonly spans: readonly Span[] }
}

/** Pieces of a message that follow each other and have the same stability. */
export interface EvenRun {
  readonly stability: Stability
  /** The hash of their text. That of a message's first run begins with its role and its calls. */
  readonly hash: TextHash
  /** The number of pieces. */
  readonly pieces: number
  /** UTF-16 units of their text. */
  readonly units: number
}

/** A composed prompt that is not counted yet. */
export interface Draft {
  readonly messages: readonly DraftMessage[]
  /** Keys of injections that printed something. */
  readonly printed: Pick<ReadonlySet<string>, "has">
  /** The pieces that each key prints, in order, once somebody asked for them. */
  byKey?: ReadonlyMap<string, readonly Piece[]>
}

/** The tokens of everything that a key prints in a draft, each piece counted by itself. */
export function ownTokens(draft: Draft, key: string, counter: MessageCounter): number {
  draft.byKey ??= Map.groupBy(
    draft.messages.flatMap(({ pieces }) => pieces),
    (piece) => piece.key,
  )
  return apart(draft.byKey.get(key) ?? []).reduce((sum, piece) => sum + counter.part(piece).tokens, 0)
}
