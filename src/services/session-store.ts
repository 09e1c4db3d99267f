import type { HistoryMessage } from "../core/history.ts"
import type { SessionKey } from "../core/keys.ts"
import type { Job } from "./job-runner.ts"

export type { HistoryMessage } from "../core/history.ts"
export type { Job } from "./job-runner.ts"

/** What something outside a turn leaves for a session's next one: a roll-up, a compression, an observer's injection. Plain JSON. */
export interface SessionNote {
  /** Unique in its session for ever: a note posted twice under one id is one note, also after it was taken. */
  readonly id: string
  /** The hook that it is for. */
  readonly owner: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** What a store knows of a session. `version` grows by one with every commit. */
export interface SessionRecord {
  readonly version: number
  /** All messages, or the last ones where so many were asked for; oldest first. */
  readonly history: readonly HistoryMessage[]
  /** Messages that are not blank and came before those in `history`; 0 where that is whole. */
  readonly earlier: number
  /** Plain JSON by owner: the session's stack items, its memory switch, what hooks keep. */
  readonly state: Readonly<Record<string, unknown>>
  /** Notes that no turn has taken yet, the oldest first. */
  readonly notes: readonly SessionNote[]
}

/** One write of one turn: words, state, jobs and the notes it took land together or not at all. */
export interface SessionCommit {
  /** The version the turn began from; 0 for a new session. */
  readonly expectVersion: number
  readonly append: readonly HistoryMessage[]
  readonly state: Readonly<Record<string, unknown>>
  readonly jobs: readonly Job[]
  /** Ids of notes that this turn took in. */
  readonly taken?: readonly string[]
}

/** Which messages of a conversation to fetch: those that meet every criterion given (R13). */
export interface MessageFilter {
  /** A speaker's id or name. */
  readonly speaker?: string
  readonly role?: HistoryMessage["role"]
  /** From this moment on, in milliseconds since 1970. */
  readonly fromMs?: number
  /** Before this moment. */
  readonly beforeMs?: number
  /** Words that the text holds, in any case. */
  readonly containing?: string
  /** Passes over so many of the newest that fit. */
  readonly skip?: number
  /** At most so many, the newest of those that fit. */
  readonly limit: number
}

/** Keeps sessions. */
export interface SessionStore {
  /** With `last`, at most so many of the newest messages. What it hands out can be frozen. */
  load(key: SessionKey, options?: { readonly last?: number }): Promise<SessionRecord | undefined>
  /** A commit whose `expectVersion` is not the current one throws `session-conflict` and changes nothing. */
  commit(key: SessionKey, commit: SessionCommit): Promise<{ readonly version: number }>
  /** Leaves a note for the next turn; the session's version stays, so no turn that runs is disturbed. False where the id is known. */
  post(key: SessionKey, note: SessionNote): Promise<boolean>
  /** Messages that fit, oldest first. */
  messages(key: SessionKey, filter: MessageFilter): Promise<readonly HistoryMessage[]>
}
