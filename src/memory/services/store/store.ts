import { checkArguments } from "../../../core/check-options.ts"
import type { HistoryMessage, SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { ErrorEvidence } from "../../../core/evidence/error-evidence.ts"
import shapes from "./argument-shapes.json" with { type: "json" }
import type { Job, JobRunner } from "./job-runner.ts"
import type { BlobRecords, MemoryRecords, ReceiptRecords, UserRecords } from "./records.ts"
import type { SessionStore } from "./session-store.ts"

/** The part of a store that is exported or forgotten: all of an agent, or what belongs to one user or one conversation of it. */
export type StoreScope =
  | { readonly agent: string }
  | { readonly agent: string; readonly user: string }
  | { readonly agent: string; readonly conversation: string }

/** Counts of the rows that were deleted, by table. */
export type ForgetReport = Readonly<Record<string, number>>

/** The findings of {@link Store.check}. */
export interface StoreCheck {
  /** True if there are no problems. */
  readonly ok: boolean
  /** One line each: what is wrong, where, and what to do. */
  readonly problems: readonly string[]
  /** Counts of rows, by table. */
  readonly counts: Readonly<Record<string, number>>
}

/** A session of a store, by the newest message of its history. */
export interface StoredConversation {
  readonly key: SessionKey
  readonly newest: HistoryMessage
}

/** Jobs that wait for a moment of their own ({@link timedKinds}). They follow no turn; `turnId` is the id of the wake. */
export interface WakeRecords {
  /** Keeps a job; false if its id is known. One without a moment of its own stands last in the line of its conversation. */
  put(job: Job): Promise<boolean>
  /** The jobs of a scope that wait or run. Of a user, those of their own, in any conversation. */
  list(scope: StoreScope): Promise<readonly Job[]>
  /** Deletes the jobs of a wake, also one that runs. */
  delete(key: SessionKey, id: string): Promise<void>
}

/**
 * Everything an agent keeps: sessions and their jobs, memories, user profiles, receipts, and the bytes that messages name.
 *
 * An implementation must pass `storeConformance` of `promptstrata/testing`. All methods of the store and of its parts may be
 * called concurrently. Several agents may share one store, and several processes one database. After `close`, the job runner
 * throws `closed`, and so does every method that would need a database.
 */
export interface Store extends SessionStore {
  readonly jobs: JobRunner
  readonly wakes: WakeRecords
  readonly memories: MemoryRecords
  readonly users: UserRecords
  readonly receipts: ReceiptRecords
  readonly blobs: BlobRecords
  /** The sessions of an agent that have a message: those of the newest messages (default 100), the newest first. */
  conversations(agent: string, options?: { readonly limit?: number }): Promise<readonly StoredConversation[]>
  /**
   * Yields lines of JSON, each one `StoreRow`, in a fixed order: the same data give the same bytes on every store. For a user these
   * are the rows that {@link Store.forget} would delete. Of a group that the user spoke in, these are the messages of their turns, and the
   * session has an empty state.
   */
  export(scope: StoreScope): AsyncIterable<string>
  /**
   * Puts exported lines back, also those of another kind of store, and returns how many rows of each table it put. Rows that are
   * there already stay as they are. A session or user that is there stays as it is with all that belongs to it. Throws `store` for
   * a line that is no exported row.
   */
  import(lines: AsyncIterable<string> | Iterable<string>): Promise<Readonly<Record<string, number>>>
  /**
   * Deletes everything of the scope in every table: messages, also those that are set aside, memories and the insights that rest on
   * them, vectors, statements, receipts, jobs, and bytes. Jobs that run are deleted too; their signals abort.
   *
   * A user owns the private conversations in which they spoke, and in groups the turns in which they spoke. The state of such a group
   * keeps only switches and counts, and its notes are deleted, because nobody can tell whose words they hold. Messages of other
   * conversations lose the recalled memories that they kept if one of those may have been deleted. A conversation is forgotten both
   * as a private one and as a group.
   */
  forget(scope: StoreScope): Promise<ForgetReport>
  /** Looks for rows that contradict each other. It changes nothing. */
  check(): Promise<StoreCheck>
  /** Waits a few seconds for running jobs, then closes the store. Close the agents that use it first: those left open warn that jobs no longer run. */
  close(): Promise<void>
}

const shipped = Symbol("a store of this package")

/** A store of this package, which answers an argument of a wrong shape with `usage`. */
export function withCheckedArguments<T extends Store>(store: T): T {
  Object.defineProperty(store, shipped, { value: true })
  return checkArguments("the store", store, shapes, ["export"])
}

/** True for a store of this package, whose results need no check. A changed copy is another one. */
export function isShipped(store: Store): boolean {
  return shipped in store
}

/** The error that every store throws when it is used after `close`. `store` names the store at the beginning of the sentence. */
export function storeClosed(store: string, evidence: ErrorEvidence["closed"] = {}): PromptStrataError {
  const hint = "Close a store after the agents that use it."
  return new PromptStrataError("closed", `${store} was closed; expected it to be open.`, { hint, evidence })
}

/** A store's job runner that throws `closed` once its store is closed, so that callers learn that jobs no longer run. `idle` does not throw. `around` may turn errors into others. */
export function runnerOfOpenStore(
  runner: JobRunner,
  open: {
    readonly store: string
    readonly evidence?: ErrorEvidence["closed"]
    readonly isClosed: () => boolean
    readonly around?: <T>(work: Promise<T>) => Promise<T>
  },
): JobRunner {
  const { store, evidence, isClosed, around } = open
  const whileOpen = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed()) throw storeClosed(store, evidence)
    return around ? around(work()) : work()
  }
  return {
    start: (handlers, options) => whileOpen(() => runner.start(handlers, options)),
    idle: (options) => (around ? around(runner.idle(options)) : runner.idle(options)),
    close: (options) => whileOpen(() => runner.close(options)),
    dead: () => whileOpen(() => runner.dead()),
  }
}
