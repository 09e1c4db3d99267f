import type { RandomSource } from "../../../core/ports.ts"
import type { KnownTexts } from "./key-index.ts"
import type { LoreEntry } from "./lorebook.ts"
import type { LoreRoom } from "./room.ts"
import type { LoreState } from "./timed.ts"

/** A message that is searched for keys. */
export interface LoreMessage {
  readonly text: string
  readonly speaker?: string | undefined
}

/** A turn as a lorebook sees it. */
export interface LoreTurn {
  /** The newest last. */
  readonly messages: readonly LoreMessage[]
  /** The number of messages of the whole conversation, for what counts them (C17). Default: those of `messages`. */
  readonly messageCount?: number | undefined
  /** The number of the agent's messages. Without it, decorators that count them have no effect. */
  readonly answerCount?: number | undefined
  /** The number of the turn, from 1. Without it, an entry of each so many turns is in all. */
  readonly turnCount?: number | undefined
  /** The index of the greeting that the conversation began with. */
  readonly greeting?: number | undefined
  readonly userIcon?: string | undefined
  readonly character?: { readonly name: string; readonly tags: readonly string[] } | undefined
  /** The state that the scan of the turn before returned. */
  readonly state?: LoreState | undefined
  readonly random: RandomSource
  /** The work that patterns may do, in characters that the host's `RegExp` reads. Default 500,000,000. */
  readonly patternWork?: number | undefined
  /** The texts that turns before this one searched for the same book; those of this turn are added. Without it, each is searched anew. */
  readonly known?: KnownTexts | undefined
  readonly room?: LoreRoom | undefined
  /** The text of an entry that is searched for the keys of others. Default: its text. */
  readonly recursionText?: ((entry: LoreEntry) => string) | undefined
}

/** The reasons for which an entry stayed out although it was looked at (C18). */
export type LoreRefusal =
  | "empty"
  | "disabled"
  | "conditions"
  | "character"
  | "delay"
  | "cooldown"
  | "recursion"
  | "max recursion"
  | "key"
  | "required key"
  | "excluded key"
  | "secondary key"
  | "group"
  | "probability"
  | "room"

/** An entry that was looked at in a scan: it is in, or the reason why not (C18). */
export interface LoreReport {
  readonly entry: LoreEntry
  readonly outcome: "in" | LoreRefusal
  /** The primary key that occurred. */
  readonly key?: string
  /** The message in which it occurred: 0 is the newest; `lore` means the text of another entry. */
  readonly where?: number | "lore"
}
