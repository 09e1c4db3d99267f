import type { SessionKey } from "../../../../core/conversation.ts"
import type { Job } from "../job-runner.ts"
import type { SessionRecord } from "../session-store.ts"
import type { StoreScope } from "../store.ts"
import type { LockedRow, LockedTable, RowTables, TableName } from "./row-tables.ts"

/** A value now, or once a database has answered. */
type Awaitable<T> = T | Promise<T>

/** The name of a column. */
export type ColumnOf<Table extends TableName> = keyof RowTables[Table] & string

/** The values of a column of rows of any table. */
export interface ColumnValues {
  readonly table: TableName
  readonly column: string
  readonly where: unknown
}

/** A condition on a column other than to have a value. */
export type Comparison =
  | { readonly in: readonly unknown[] }
  | { readonly notIn: readonly unknown[] }
  | { readonly above: number }
  | { readonly from: number }
  | { readonly isNot: null }
  /** The values of a column of other rows; see {@link valuesOf}. */
  | { readonly within: ColumnValues }
  | { readonly outside: ColumnValues }
  /** Plain JSON that has one of these members. A row without them may fit, too, if its texts hold their names. */
  | { readonly holding: readonly string[] }

/** Conditions on columns, which a row meets all. */
export type Conditions<Table extends TableName> = {
  readonly [Column in ColumnOf<Table>]?: RowTables[Table][Column] | Comparison | undefined
}

/** The rows that meet some conditions, or one of several lists of conditions. */
export type RowFilter<Table extends TableName> = Conditions<Table> | readonly Conditions<Table>[]

/** The values of a column of the rows that meet a condition, for `within` and `outside`. */
export function valuesOf<Table extends TableName>(table: Table, column: ColumnOf<Table>, where: RowFilter<Table>): ColumnValues {
  return { table, column, where }
}

/** How rows are read. */
export interface Selection<Column> {
  /** The columns to read; all if not given. Only these are looked at, so that a damaged body hinders nobody who does not need it. */
  readonly columns?: readonly Column[]
  /** The columns that rows are ordered by. */
  readonly order?: readonly string[]
  readonly isDescending?: boolean
  readonly limit?: number | undefined
  readonly isDistinct?: boolean
}

/** Reads the last of some rows, for its place. */
export const lastPosition = { columns: ["position"], order: ["position"], isDescending: true, limit: 1 } as const

/** A job as an export holds it. One with `error` is a dead letter, any other waits or runs. */
export interface JobRow {
  readonly job: Job
  readonly attempts: number
  readonly error?: string
}

/** The rows of a scope, by their keys. A user owns the rows with their id and all of the private conversations in which they spoke. */
export interface OwnedKeys {
  readonly scope: StoreScope
  /** Empty unless the scope is a user. */
  readonly privateConversations: readonly string[]
}

/** Transactions that delete memories or set turns aside are alone. Those that need these to stay share the lock. */
export type AgentLock = "alone" | "shared"

/** The jobs of a store within a transaction. */
export interface JobRows {
  /** Puts an exported job back; false where its id is known. */
  restore(row: JobRow): Awaitable<boolean>
  /** Deletes waiting, running and dead jobs of a scope and returns how many. */
  forget(owned: OwnedKeys): Awaitable<number>
  /** Deletes waiting, running and dead jobs of some turns of a session. */
  forgetTurns(key: SessionKey, turnIds: ReadonlySet<string>): Awaitable<void>
  /** Waiting, running and dead jobs of a scope, in the order in which they were enqueued. */
  list(owned: OwnedKeys): Awaitable<readonly JobRow[]>
}

/**
 * The tables within a transaction: what memory and every database give, and all that forgetting, exports, imports and branches need.
 * Each method is one statement, but for many rows to add, so that deleting many takes no longer than the database needs for it. Rows that are read belong to
 * the reader; bodies that are written must be frozen.
 */
export interface Rows {
  readonly jobs: JobRows
  select<Table extends TableName, Column extends ColumnOf<Table> = ColumnOf<Table>>(
    table: Table,
    where: RowFilter<Table>,
    selection?: Selection<Column>,
  ): Awaitable<Pick<RowTables[Table], Column>[]>
  count(table: TableName): Awaitable<number>
  /** Adds rows, whose keys must be new. */
  insert<Table extends TableName>(table: Table, rows: readonly RowTables[Table][]): Awaitable<unknown>
  /** Adds a row; false if its key is there. */
  add<Table extends TableName>(table: Table, row: RowTables[Table]): Awaitable<boolean>
  /** Adds rows of different keys. A row whose key is there gets these columns of the new one instead, where it meets the conditions. */
  put<Table extends TableName>(
    table: Table,
    rows: readonly RowTables[Table][],
    columns: readonly ColumnOf<Table>[],
    where?: Conditions<Table>,
  ): Awaitable<unknown>
  /** Locks an agent as a whole until the transaction ends: alone, or shared with all who do the same. */
  lockAgent(agent: string, how: AgentLock): Awaitable<unknown>
  /** Locks rows until the transaction ends. */
  lock<Table extends LockedTable>(table: Table, where: Conditions<Table>): Awaitable<readonly LockedRow<Table>[]>
  /** Locks a row until the transaction ends, and makes it where it is missing. */
  lockOrMake<Table extends LockedTable>(table: Table, row: RowTables[Table]): Awaitable<LockedRow<Table>>
  update<Table extends TableName>(table: Table, where: RowFilter<Table>, change: Partial<RowTables[Table]>): Awaitable<unknown>
  /** Adds one to the version of users or sessions. */
  raiseVersion<Table extends "users" | "sessions">(table: Table, where: RowFilter<Table>): Awaitable<unknown>
  /** Returns how many rows were deleted. */
  delete<Table extends TableName>(table: Table, where: RowFilter<Table>): Awaitable<number>
  /** The state of a session: databases keep its newest changes in rows of their own. */
  readState(key: SessionKey): Awaitable<SessionRecord["state"]>
  /** Writes the whole state of a session, in place of it and its changes. */
  writeState(key: SessionKey, state: SessionRecord["state"]): Awaitable<unknown>
  /** The newest message of each session of an agent: at most so many, the newest first. */
  newestMessages(agent: string, limit: number): Awaitable<readonly RowTables["messages"][]>
  /** The sessions of an agent whose state has this member, and perhaps more. */
  sessionsHolding(agent: string, member: string): Awaitable<readonly SessionKey[]>
}

/** The transactions of a store. */
export interface Transactions<View> {
  /** Runs reads in one transaction: they all see the same state. */
  read<T>(work: (view: View) => Promise<T>): Promise<T>
  /** Runs reads without a transaction, which costs a database less: a later one may see what was written after an earlier one. */
  readOnce<T>(work: (view: View) => Promise<T>): Promise<T>
  /** Runs a transaction: all of it is written or nothing. It is durable once this settles. `work` may run several times. */
  write<T>(work: (view: View) => Promise<T>): Promise<T>
}

/** A store's transactions over its row tables. */
export type RowDatabase = Transactions<Rows>

const pageValues = 500

/** The parts of a long list of values, one after the other: databases limit the values of a statement. */
export function* inPages<T>(values: Iterable<T>): Generator<readonly T[]> {
  const all = [...values]
  for (let at = 0; at < all.length; at += pageValues) yield all.slice(at, at + pageValues)
}
