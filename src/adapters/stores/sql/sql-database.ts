import type { Expression, Kysely, SqlBool } from "kysely"
import type { SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { parsedJson } from "../../../core/json-access.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import type { RowTables, SessionColumns } from "../../../memory/services/store/rows/row-tables.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import type { AgentLock, JobRow, OwnedKeys, Rows, Transactions } from "../../../memory/services/store/rows/rows.ts"
import { type DamagedRow, damagedHint } from "./row-body.ts"

/** Builds statements over the store's tables, within a transaction. */
export type Queries = Kysely<Tables>

/** A row as databases keep it: plain JSON as text, which keeps any string and the order of members. */
type StoredRow<Row> = {
  [Column in keyof Row]: Column extends "body" | "whole_state" ? string | Extract<Row[Column], null> : Row[Column]
}

/**
 * The tables, the same in every database. Strings but those of bodies are stored as `keyText`. Times are doubles, which hold every number
 * that a clock gives.
 */
export type Tables = { [Table in keyof RowTables]: StoredRow<RowTables[Table]> } & {
  /** The number of the last migration of each part of the schema. */
  schema_versions: { part: string; version: number }
  /** Changes of a session's state since `whole_state` was written, one `Change` for each version. */
  state_changes: SessionColumns & { version: number; body: string }
  /** `checksum` is the CRC-32 of the bytes as hexadecimal digits. Rows of older versions have none. */
  vectors: { checksum: string | null }
  index_copies: { checksum: string | null }
}

/** The database's names for the types that standard SQL leaves open. */
export interface ColumnTypes {
  /** Text that sorts by code point. */
  readonly text: string
  readonly bytes: string
}

/** A database as the shared statements use it. */
export interface SqlDatabase extends Transactions<Queries> {
  readonly types: ColumnTypes
  /** Keeps other processes from changing the schema until the current transaction ends. */
  lockSchema(db: Queries): Promise<void>
  /** As {@link Rows.lockAgent} does. */
  lockAgent(db: Queries, agent: string, how: AgentLock): Promise<void>
  close(): Promise<void>
}

/** A table whose rows are checked. */
export interface CheckedTable {
  readonly table: string
  /** The column of the body, or of the bytes. */
  readonly body: string
  /** The columns by which the rows are read in portions. */
  readonly group: readonly string[]
  /** The columns that name a row within its group. */
  readonly id: readonly string[]
  /** The part of the store that is lost without the row's body. */
  readonly lost: string
  /** Of bytes, the column that tells what they are: their checksum, or the SHA-256 that names them. */
  readonly mark?: "checksum" | "id"
}

/** The rows of jobs in which damage is looked for. */
export interface JobBodies {
  /** The tables of jobs that the store itself reads; none where a job engine keeps them. */
  readonly bodies: readonly CheckedTable[]
  /** The damaged rows of a job engine, and the way to delete one. */
  readonly ofEngine?: {
    damaged(db: Queries): Promise<readonly DamagedRow[]>
    remove(db: Queries, row: DamagedRow): Promise<void>
  }
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

/** The string that {@link keyText} was given. Throws `store` for a text that it never makes. */
export function fromKeyText(text: string): string {
  if (!text.startsWith('"')) return text
  const value = parsedJson(text)
  if (typeof value === "string") return value
  const message = `Expected a key that was written, found ${JSON.stringify(text)}. A row of the store is damaged.`
  throw new PromptStrataError("store", message, { hint: damagedHint })
}

/** The columns that name a session. Every row of the session holds them, and every statement about it asks for them. */
export function sessionColumns({ agent, conversation, audience }: SessionKey): SessionColumns {
  return { agent: keyText(agent), conversation: keyText(conversation), audience }
}

/** The names of {@link sessionColumns}, for statements that are prepared. */
export const keyNames = ["agent", "conversation", "audience"] as const satisfies readonly (keyof SessionColumns)[]

/** The condition that a row has these values, for `where`. */
export function having<Columns>(columns: Columns) {
  return ({ and }: { and(columns: Columns): Expression<SqlBool> }): Expression<SqlBool> => and(columns)
}

/** The condition that a row belongs to a session. */
export const inSession = (key: SessionKey) => having(sessionColumns(key))
