import type { ServiceKey } from "../core/keys.ts"
import type { JobRunner } from "./job-runner.ts"
import type { Receipt } from "./receipt.ts"
import type { SessionStore } from "./session-store.ts"
import type { StoredMemory, StoredVector } from "./stored-memory.ts"
import type { ProfileStatement } from "./user-profile.ts"

/**
 * How far somebody has read along. Memories of one scope (a user's own, or a group's) are numbered in the order in which they
 * became visible; an epoch ends when something is deleted, and then all is read anew.
 */
export interface MemoryCursor {
  readonly epoch: number
  readonly sequence: number
}

/** What came since a cursor: new memories, and those that changed. */
export interface MemoryChanges {
  readonly cursor: MemoryCursor
  /** True where the reader must forget what it has: its cursor was of another epoch. */
  readonly reset: boolean
  /** In the order of their change; superseded ones too. At most as many as asked for: read on until there are none. */
  readonly memories: readonly StoredMemory[]
}

/** Keeps memories. A key's scope: in private, what belongs to its user; in a group, what was said in that group. */
export interface MemoryRecords {
  /**
   * Keeps a memory and marks what it supersedes, at once. False, and nothing changes, where its id is known. One with the same
   * `hash` that still holds, of the same user and the same audience and (in a group) conversation, makes it a duplicate: its id.
   * What is superseded must hold and be of that same user, audience and (in a group) conversation; other ids are passed over. A memory
   * that is not the key's own (another agent, conversation, audience or user) throws `usage`.
   */
  put(
    memory: StoredMemory,
    options: { readonly hash: string; readonly supersedes?: readonly string[]; readonly key: ServiceKey },
  ): Promise<{ readonly stored: boolean; readonly id: string }>
  get(id: string, key: ServiceKey): Promise<StoredMemory | undefined>
  /** Changes in the key's scope since `after`; from the beginning without it. */
  changes(key: ServiceKey, options: { readonly after?: MemoryCursor | undefined; readonly limit: number }): Promise<MemoryChanges>
  /** The newest in the key's scope that hold, oldest first: by time, then by id. */
  recent(
    key: ServiceKey,
    options: { readonly limit: number; readonly kinds?: readonly StoredMemory["kind"][] },
  ): Promise<readonly StoredMemory[]>
  /** Keeps vectors of memories of the key's scope, in place of older ones; others are passed over. It counts as a change of its memory. */
  putVectors(vectors: readonly StoredVector[], key: ServiceKey): Promise<void>
  /** Vectors of these memories of the key's scope, as far as there are any, in the order of the ids. */
  vectors(ids: readonly string[], model: string, key: ServiceKey): Promise<readonly StoredVector[]>
  /** Memories of the key's scope that hold and have no vector of this model, oldest first: by time, then by id. */
  withoutVector(model: string, key: ServiceKey, limit: number): Promise<readonly StoredMemory[]>
}

/** Keeps what users said of themselves: every statement, in the order they came. */
export interface UserRecords {
  /** In private every statement of the user, in a group those that were made in it. The version is the user's, wherever it is read. */
  load(key: ServiceKey): Promise<{ readonly version: number; readonly statements: readonly ProfileStatement[] }>
  /**
   * One revision per turn: `version-conflict` as in `UserProfileService.put`; `applied` is false, and nothing changes, where the turn's
   * statements are there or none are given.
   */
  append(
    statements: readonly ProfileStatement[],
    options: { readonly turnId: string; readonly expectVersion: number; readonly key: ServiceKey },
  ): Promise<{ readonly version: number; readonly applied: boolean }>
}

/** Keeps receipts: one for each turn and kind. */
export interface ReceiptRecords {
  /** A receipt that is there is replaced, unless it was `ok`, `empty` or `skipped`: those are final. */
  put(receipt: Receipt): Promise<void>
  /** Of one turn, in the order they were written. */
  ofTurn(turnId: string, key: ServiceKey): Promise<readonly Receipt[]>
  /**
   * How often a model was asked for this user since a moment, in whatever conversation, for a daily cap: the attempts of the receipts
   * that began since then and name a model, added up.
   */
  modelCalls(key: ServiceKey, sinceMs: number): Promise<number>
}

/** Whose words are to be forgotten, exported or listed. */
export type StoreScope =
  | { readonly agent: string }
  | { readonly agent: string; readonly user: string }
  | { readonly agent: string; readonly conversation: string }

/** What was deleted, by table. */
export type ForgetReport = Readonly<Record<string, number>>

/** What `check` found. */
export interface StoreCheck {
  readonly ok: boolean
  /** One line each: what is wrong, where, and what to do. */
  readonly problems: readonly string[]
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>
}

/** Everything an agent keeps, behind one door: sessions and their jobs, memories, users, receipts. */
export interface Store extends SessionStore {
  readonly jobs: JobRunner
  readonly memories: MemoryRecords
  readonly users: UserRecords
  readonly receipts: ReceiptRecords
  /**
   * Lines of JSON, each one `StoreRow`, in a fixed order: the same data give the same bytes. Of a user: what they own in the sense of
   * `forget`; of a group they spoke in their turns' messages, with an empty state.
   */
  export(scope: StoreScope): AsyncIterable<string>
  /**
   * Puts exported lines back, of any store, and tells how many rows of each table it put. Rows that are there already are left as they
   * are, and a session or a user that is there with all that belongs to it. A line that is none throws `store`.
   */
  import(lines: AsyncIterable<string> | Iterable<string>): Promise<Readonly<Record<string, number>>>
  /**
   * Deletes everything of the scope, in every table: words, memories with insights that rest on them, vectors, statements, receipts and
   * jobs, those that run included (their signals abort). A user owns the private conversations that they spoke in, whole, and in groups
   * the turns in which they spoke; such a group's state keeps switches and counts only, and its notes are gone, for nobody can tell
   * whose words those hold. What other messages kept of recalled memories goes where a memory was deleted. A conversation is forgotten
   * in private and as a group.
   */
  forget(scope: StoreScope): Promise<ForgetReport>
  check(): Promise<StoreCheck>
  /** Waits a few seconds for jobs that run here. Agents that use it close all the same afterwards, and say so; best close them first. */
  close(): Promise<void>
}
