import type { Speaker } from "./keys.ts"

/** A prestart result kept in history (T26). `args` as the tool got them. */
export interface KeptPrestart {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly result: string
}

/** One message of a conversation's history (T29): words, never thinking, tool chatter or injected context. */
export interface HistoryMessage {
  readonly role: "user" | "assistant"
  readonly text: string
  readonly speaker: Speaker
  readonly turnId: string
  readonly atMs: number
  /** Kept prestart results, on the user's message. */
  readonly prestart?: readonly KeptPrestart[]
  /** Paths of the files that the user sent with the message (R8), as the file tools know them. */
  readonly files?: readonly string[]
  /** Memories that the turn recalled, on the user's message, where the profile keeps them (`context.older`). */
  readonly recalled?: readonly string[]
  /** Set on an answer that was cut off. */
  readonly interrupted?: true
  /** Set on what the agent said where nobody had spoken (R27): no user's message stands before it. */
  readonly unprompted?: true
}
