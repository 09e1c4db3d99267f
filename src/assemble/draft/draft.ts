import type { TextHash } from "../../core/fingerprint.ts"
import type { Message, MessageRole } from "../../core/message.ts"
import type { Stability } from "../../core/scope.ts"
import type { Span } from "../../core/span.ts"
import type { Countable, Growth, MessageCounter } from "../tokens/counted-message.ts"

/** A span before it has its tokens and its place in a message. */
export type Piece = Omit<Span, "tokens" | "message"> & Countable & { hash?: TextHash | undefined }

/** What a message carries beside its text. */
export type MessageCalls = Pick<Message, "toolCalls" | "toolCallId">

/** A message that is composed: the pieces tile its content. */
export interface DraftMessage {
  readonly role: MessageRole
  /** The native calls it makes, or the call it answers. */
  readonly calls?: MessageCalls
  readonly pieces: readonly Piece[]
  /** What was made of it the last time: an entry of history is one message over all turns. */
  written?: WrittenMessage | undefined
}

/** A message of a draft, written out and counted. */
export interface WrittenMessage {
  readonly counter: MessageCounter
  readonly message: Message
  readonly growth: Growth
  /** The number of the message that the spans belong to. */
  readonly index: number
  readonly spans: readonly Span[]
  /** Of a message whose spans all change equally often. */
  readonly even?: EvenMessage | undefined
}

/** A message of one stability. */
export interface EvenMessage {
  readonly stability: Stability
  /** Of what opens the message and of its content. */
  readonly hash: TextHash
  readonly spans: number
  /** UTF-16 units of its content. */
  readonly units: number
}

/** A composed prompt, not yet counted or fitted. */
export interface Draft {
  readonly messages: readonly DraftMessage[]
  /** Keys of injections that printed something. */
  readonly printed: Pick<ReadonlySet<string>, "has">
}
