import type { ColumnDataType, Expression } from "kysely"
import type { Job } from "../../services/job-runner.ts"
import type { StoreScope } from "../../services/store.ts"
import type { Queries } from "./sql-tables.ts"

/** How a database names the types that the standard leaves open. */
export interface ColumnTypes {
  /** Text that is ordered by its code points. */
  readonly text: ColumnDataType | Expression<unknown>
  readonly bytes: ColumnDataType | Expression<unknown>
}

/** What the shared statements need of a database. */
export interface SqlDatabase {
  readonly types: ColumnTypes
  /** Reads of one moment. */
  read<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** All of it or nothing, durable once it settles. `work` runs again where the database asks for that. */
  write<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** Until the transaction at hand ends, no other process changes the schema. */
  lockSchema(db: Queries): Promise<void>
  close(): Promise<void>
}

/** A job as it is exported: a dead letter with `error`, else one that waits or runs. */
export interface JobRow {
  readonly job: Job
  readonly attempts: number
  readonly error?: string
}

/** What a scope owns by its key: of a user what carries their id, and all of the private conversations that they spoke in. */
export interface OwnedKeys {
  readonly scope: StoreScope
  /** Empty unless the scope is a user. */
  readonly privateConversations: readonly string[]
}

/** Where a database keeps the jobs that commits enqueue. All but `wake` run within the transaction at hand. */
export interface SqlJobs {
  /** A job whose id is known is left out. */
  enqueue(db: Queries, jobs: readonly Job[]): Promise<void>
  /** Puts an exported one back; false where its id is known. */
  restore(db: Queries, row: JobRow): Promise<boolean>
  /** Deletes waiting, running and dead ones and says how many. */
  forget(db: Queries, owned: OwnedKeys): Promise<number>
  /** Those that wait or run and dead letters, as they were enqueued. */
  list(db: Queries, owned: OwnedKeys): Promise<readonly JobRow[]>
  /** A transaction has ended that enqueued, restored or deleted jobs. */
  wake(): void
  /** What is wrong with jobs, one line each, and how many wait, run or are dead. */
  check(db: Queries): Promise<{ readonly problems: readonly string[]; readonly count: number }>
}
