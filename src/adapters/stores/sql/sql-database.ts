import type { ColumnDataType, Expression } from "kysely"
import type { SessionKey } from "../../../core/conversation.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import type { JobRow, OwnedKeys } from "../../../memory/services/store/rows/rows.ts"
import type { JobBodies } from "./maintenance/damaged-rows.ts"
import type { Queries } from "./sql-tables.ts"

/** The database's names for the types that standard SQL leaves open. */
export interface ColumnTypes {
  /** Text that sorts by code point. */
  readonly text: ColumnDataType | Expression<unknown>
  readonly bytes: ColumnDataType | Expression<unknown>
}

/** A database as the shared statements use it. */
export interface SqlDatabase {
  readonly types: ColumnTypes
  /** Runs reads in one transaction: they all see the same state. */
  read<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** Runs statements without a transaction: a later one may see what was written after an earlier one. */
  readOnce<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** Runs a transaction: all of it is written or nothing. It is durable once this settles. `work` may run several times. */
  write<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** Keeps other processes from changing the schema until the current transaction ends. */
  lockSchema(db: Queries): Promise<void>
  close(): Promise<void>
}

/** The jobs of a database. All methods but `wake` run within the current transaction. */
export interface SqlJobs extends JobBodies {
  /** Adds jobs; one whose id is known is left out. */
  enqueue(db: Queries, jobs: readonly Job[]): Promise<void>
  /** Puts an exported job back; false where its id is known. */
  restore(db: Queries, row: JobRow): Promise<boolean>
  /** Deletes waiting, running and dead jobs of a scope and returns how many. */
  forget(db: Queries, owned: OwnedKeys): Promise<number>
  /** Deletes waiting, running and dead jobs of some turns of a session. */
  forgetTurns(db: Queries, key: SessionKey, turnIds: ReadonlySet<string>): Promise<void>
  /** Waiting, running and dead jobs of a scope, in the order in which they were enqueued. */
  list(db: Queries, owned: OwnedKeys): Promise<readonly JobRow[]>
  /** To be called after a transaction that enqueued, restored or deleted jobs. */
  wake(): void
  /** Faults of the jobs, one line each, and how many jobs wait, run or are dead. */
  check(db: Queries): Promise<{ readonly problems: readonly string[]; readonly count: number }>
}
