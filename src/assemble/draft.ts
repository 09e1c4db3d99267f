import type { Message, MessageRole } from "../core/message.ts"
import type { Stability } from "../core/scope.ts"
import type { Source } from "../core/source.ts"
import type { Trust } from "../core/trust.ts"

/** A span before its tokens are counted. */
export interface Piece {
  readonly text: string
  readonly message: number
  readonly key: string
  readonly part: "frame" | "content" | "notice"
  readonly trust: Trust
  readonly stability: Stability
  readonly source?: Source
}

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
