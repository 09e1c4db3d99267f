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
  /** Memories that the turn recalled, on the user's message, where the profile keeps them (`context.older`). */
  readonly recalled?: readonly string[]
  /** Set on an answer that was cut off. */
  readonly interrupted?: true
}
