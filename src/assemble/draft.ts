import type { Message, MessageRole } from "../core/message.ts"
import type { Span } from "../core/span.ts"
import type { Countable } from "./tokens/counted-message.ts"

/** A span before it has its tokens and its place in a message. */
export type Piece = Omit<Span, "tokens" | "message"> & Countable

/** What a message carries beside its text. */
export type MessageCalls = Pick<Message, "toolCalls" | "toolCallId">

/** A message that is composed: the pieces tile its content. */
export interface DraftMessage {
  readonly role: MessageRole
  /** The native calls it makes, or the call it answers. */
  readonly calls?: MessageCalls
  readonly pieces: readonly Piece[]
}

/** A composed prompt, not yet counted or fitted. */
export interface Draft {
  readonly messages: readonly DraftMessage[]
  /** Keys of injections that printed something. */
  readonly printed: ReadonlySet<string>
}
