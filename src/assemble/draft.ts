import type { Message, MessageRole } from "../core/message.ts"
import type { Span } from "../core/span.ts"

/** A span before its tokens are counted. */
export type Piece = Omit<Span, "tokens">

/** What a message carries beside its text. */
export type MessageCalls = Pick<Message, "toolCalls" | "toolCallId">

/** A composed prompt, not yet counted or fitted: the pieces tile each message's content. */
export interface Draft {
  readonly roles: readonly MessageRole[]
  /** By message: the native calls it makes, or the call it answers. */
  readonly calls: ReadonlyMap<number, MessageCalls>
  readonly pieces: readonly Piece[]
  /** Keys of injections that printed something. */
  readonly printed: ReadonlySet<string>
}
