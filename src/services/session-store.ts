import type { HistoryMessage } from "../core/history.ts"
import type { SessionKey } from "../core/keys.ts"

export type { HistoryMessage } from "../core/history.ts"

/** A job for after the turn, enqueued in the turn's commit. */
export interface Job {
  readonly id: string
  readonly kind: string
  readonly turnId: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Everything a store knows of a session. `version` grows by one with every commit. */
export interface SessionRecord {
  readonly version: number
  readonly history: readonly HistoryMessage[]
  /** Plain JSON by owner: the session's stack items, and later its memory switch and workspace. */
  readonly state: Readonly<Record<string, unknown>>
}

/** One write of one turn: words, state and jobs land together or not at all. */
export interface SessionCommit {
  /** The version the turn began from; 0 for a new session. */
  readonly expectVersion: number
  readonly append: readonly HistoryMessage[]
  readonly state: Readonly<Record<string, unknown>>
  readonly jobs: readonly Job[]
}

/** Keeps sessions. A commit whose `expectVersion` is not the current one throws `session-conflict` and changes nothing. */
export interface SessionStore {
  load(key: SessionKey): Promise<SessionRecord | undefined>
  commit(key: SessionKey, commit: SessionCommit): Promise<{ readonly version: number }>
}
