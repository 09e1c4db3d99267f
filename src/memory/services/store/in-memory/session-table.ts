import type { HistoryMessage, SessionKey } from "../../../../core/conversation.ts"
import {
  historyRows,
  type LockedRow,
  type LockedTable,
  type RowTables,
  sessionOf,
  type TableName,
  tableKeys,
} from "../rows/row-tables.ts"
import type { ColumnOf, ColumnValues, Comparison, JobRows, RowDatabase, RowFilter, Rows, Selection } from "../rows/rows.ts"
import { type SessionCommit, type SessionNote, type SessionRecord, sessionConflict } from "../session-store.ts"
import { type AnyConditions, type AnyRow, isComparison, meets, RowTable, type RowTest } from "./row-table.ts"

const session = tableKeys.sessions

/** The columns by which rows are looked for often, each list ending with the column of their order. */
const indexes: { readonly [Table in TableName]?: readonly (readonly string[])[] } = {
  messages: [
    [...session, "position"],
    [...session, "at_ms"],
  ],
  aside_messages: [[...session, "position"]],
  notes: [[...session, "position"]],
  session_blobs: [[...session, "id"]],
  memories: [
    ["agent", "user_id", "hash", "user_sequence"],
    ["agent", "user_id", "user_sequence"],
    ["agent", "conversation", "group_sequence"],
  ],
  vectors: [["agent", "memory_id", "model"]],
  statements: [["agent", "user_id", "position"]],
  receipts: [
    [...session, "turn_id", "position"],
    ["agent", "user_id", "started_ms"],
  ],
}

function emptyTables(): Readonly<Record<TableName, RowTable>> {
  const tables = Object.entries(tableKeys).map(([name, key]) => [name, new RowTable(key, indexes[name as TableName])])
  return Object.fromEntries(tables)
}

/** The tables of a store in memory. Every method is done when it returns. */
export class InMemoryRows implements Rows, RowDatabase {
  /** Set with the first work that needs it. */
  jobs!: JobRows
  readonly #tables = emptyTables()
  /** The ways back from the changes of a transaction. */
  #undo: (() => void)[] | undefined
  /** Settles when the transaction that writes has ended. */
  #writing: Promise<void> | undefined
  /** The transactions that read. Any number of them go on at a time. */
  readonly #reading = new Set<Promise<unknown>>()

  /** Settles when the transactions that go on have ended; undefined where none does. Ask again then: another may have begun. */
  get busy(): Promise<unknown> | undefined {
    return this.#writing ?? (this.#reading.size > 0 ? Promise.allSettled(this.#reading) : undefined)
  }

  readonly read = async <T>(work: (rows: InMemoryRows) => Promise<T>): Promise<T> => {
    while (this.#writing) await this.#writing
    const reading = work(this)
    this.#reading.add(reading)
    try {
      return await reading
    } finally {
      this.#reading.delete(reading)
    }
  }

  /** A transaction that reads costs nothing here. */
  readonly readOnce = this.read

  readonly write = async <T>(work: (rows: InMemoryRows) => Promise<T>): Promise<T> => {
    while (this.busy) await this.busy
    const { promise, resolve } = Promise.withResolvers<void>()
    const undo: (() => void)[] = []
    this.#writing = promise
    this.#undo = undo
    try {
      return await work(this)
    } catch (error) {
      for (const back of undo.reverse()) back()
      throw error
    } finally {
      this.#undo = undefined
      this.#writing = undefined
      resolve()
    }
  }

  select<Table extends TableName, Column extends ColumnOf<Table> = ColumnOf<Table>>(
    table: Table,
    where: RowFilter<Table>,
    selection: Selection<Column> = {},
  ): Pick<RowTables[Table], Column>[] {
    const { columns, isDistinct = false } = selection
    const found = this.#find(table, where, selection)
    if (columns === undefined) return found as unknown as RowTables[Table][]
    const rows: AnyRow[] = []
    for (const row of found) {
      const picked: Record<string, unknown> = {}
      for (const column of columns) picked[column] = row[column]
      rows.push(picked)
    }
    const shown = isDistinct ? [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()] : rows
    return shown as Pick<RowTables[Table], Column>[]
  }

  count(table: TableName): number {
    return this.#tables[table].size
  }

  insert<Table extends TableName>(table: Table, rows: readonly RowTables[Table][]): void {
    for (const row of rows) this.#set(table, row as unknown as AnyRow)
  }

  add<Table extends TableName>(table: Table, row: RowTables[Table]): boolean {
    const isNew = this.#tables[table].like(row as unknown as AnyRow) === undefined
    if (isNew) this.insert(table, [row])
    return isNew
  }

  put<Table extends TableName>(
    table: Table,
    rows: readonly RowTables[Table][],
    columns: readonly ColumnOf<Table>[],
    where: AnyConditions = {},
  ): void {
    for (const row of rows) {
      const known = this.#tables[table].like(row as unknown as AnyRow)
      if (known === undefined) this.insert(table, [row])
      else if (meets(known, this.#tests(where)))
        this.#set(table, { ...known, ...Object.fromEntries(columns.map((column) => [column, row[column]])) })
    }
  }

  lockAgent(): void {}

  lock<Table extends LockedTable>(table: Table, where: RowFilter<Table>): readonly LockedRow<Table>[] {
    return this.#find(table, where) as unknown as LockedRow<Table>[]
  }

  lockOrMake<Table extends LockedTable>(table: Table, row: RowTables[Table]): LockedRow<Table> {
    this.add(table, row)
    return this.#tables[table].like(row as unknown as AnyRow) as unknown as LockedRow<Table>
  }

  update<Table extends TableName>(table: Table, where: RowFilter<Table>, change: Partial<RowTables[Table]>): void {
    for (const row of this.#find(table, where)) this.#set(table, { ...row, ...change })
  }

  raiseVersion<Table extends "users" | "sessions">(table: Table, where: RowFilter<Table>): void {
    for (const row of this.#find(table, where)) this.#set(table, { ...row, version: Number(row.version) + 1 })
  }

  delete<Table extends TableName>(table: Table, where: RowFilter<Table>): number {
    const gone = this.#find(table, where)
    const rows = this.#tables[table]
    for (const row of gone) {
      rows.remove(row)
      this.#undo?.push(() => rows.set(row))
    }
    return gone.length
  }

  readState(key: SessionKey): SessionRecord["state"] {
    return this.select("sessions", sessionOf(key))[0]?.whole_state ?? {}
  }

  writeState(key: SessionKey, state: SessionRecord["state"]): void {
    this.update("sessions", sessionOf(key), { whole_state: state })
  }

  newestMessages(agent: string, limit: number): readonly RowTables["messages"][] {
    const newest = { order: ["position"], isDescending: true, limit: 1 } as const
    const found = this.select("sessions", { agent }).flatMap((row) => this.select("messages", sessionOf(row), newest))
    return found.sort((a, b) => b.at_ms - a.at_ms).slice(0, limit)
  }

  sessionsHolding(agent: string, member: string): readonly SessionKey[] {
    return this.select("sessions", { agent, whole_state: { holding: [member] } })
  }

  #set(name: TableName, row: AnyRow): void {
    const table = this.#tables[name]
    const before = table.set(row)
    this.#undo?.push(() => (before === undefined ? table.remove(row) : table.set(before)))
  }

  #find(table: TableName, where: unknown, selection: Selection<string> = {}): AnyRow[] {
    const rows = this.#tables[table]
    if (!Array.isArray(where)) return rows.find(where as AnyConditions, this.#tests(where as AnyConditions), selection)
    const lists = (where as AnyConditions[]).map((conditions) => rows.find(conditions, this.#tests(conditions), selection))
    return [...new Set(lists.flat())]
  }

  #tests(conditions: AnyConditions): readonly RowTest[] {
    const tests: RowTest[] = []
    for (const [column, value] of Object.entries(conditions))
      if (value !== undefined) tests.push({ column, value, check: isComparison(value) ? this.#comparing(value) : undefined })
    return tests
  }

  #comparing(given: Comparison): (value: unknown) => boolean {
    if ("above" in given) return (value) => (value as number) > given.above
    if ("from" in given) return (value) => (value as number) >= given.from
    if ("isNot" in given) return (value) => value !== null
    if ("holding" in given) return (value) => given.holding.some((name) => Object.hasOwn(Object(value), name))
    const isOutside = "notIn" in given || "outside" in given
    let members: ReadonlySet<unknown>
    if ("in" in given) members = new Set(given.in)
    else if ("notIn" in given) members = new Set(given.notIn)
    else members = new Set(this.#values("within" in given ? given.within : given.outside))
    return (value) => members.has(value) !== isOutside
  }

  #values({ table, column, where }: ColumnValues): readonly unknown[] {
    return this.#find(table, where).map((row) => row[column])
  }
}

/**
 * Sessions in memory. It is given frozen plain JSON, which it keeps, and returns frozen data. Its methods wait for the transactions that go
 * on; then they are done at once, and throw before their first change.
 */
export class SessionTable {
  readonly rows = new InMemoryRows()

  async load(key: SessionKey, last?: number): Promise<SessionRecord | undefined> {
    while (this.rows.busy) await this.rows.busy
    const { version, whole_state: state, next_position, spoken } = this.#row(key)
    const waiting = this.rows.select("notes", { ...sessionOf(key), body: { isNot: null } }, { order: ["position"] })
    if (version === 0 && waiting.length === 0 && next_position === 0) return undefined
    const newest = this.rows
      .select("messages", sessionOf(key), { order: ["position"], isDescending: true, limit: last })
      .reverse()
    const history = Object.freeze(newest.map(({ body }) => body))
    const notes = Object.freeze(waiting.flatMap(({ body }) => body ?? []))
    return Object.freeze({ version, history, earlier: newest[0]?.spoken ?? spoken, state, notes })
  }

  /** Returns the version of the session after the commit. */
  async commit(key: SessionKey, commit: SessionCommit): Promise<number> {
    while (this.rows.busy) await this.rows.busy
    return this.commitWithin(key, commit)
  }

  /** {@link commit} within a transaction. */
  commitWithin(key: SessionKey, { expectVersion, append, state, taken = [] }: SessionCommit): number {
    const row = this.#row(key)
    if (expectVersion !== row.version) throw sessionConflict(key, expectVersion, row.version)
    for (const id of taken) this.rows.update("notes", { ...sessionOf(key), id }, { body: null })
    const version = row.version + 1
    this.#append({ ...row, version, whole_state: state }, append)
    return version
  }

  async append(key: SessionKey, messages: readonly HistoryMessage[]): Promise<void> {
    while (this.rows.busy) await this.rows.busy
    if (messages.length > 0) this.#append(this.#row(key), messages)
  }

  async post(key: SessionKey, body: SessionNote): Promise<boolean> {
    while (this.rows.busy) await this.rows.busy
    const row = this.#row(key)
    const { id, owner } = body
    const isNew = this.rows.add("notes", { ...sessionOf(key), id, owner, position: row.notes, body })
    if (isNew) this.rows.insert("sessions", [{ ...row, notes: row.notes + 1 }])
    return isNew
  }

  /** The row of a session; an empty one if there is none. */
  #row(key: SessionKey): RowTables["sessions"] {
    const empty = { version: 0, whole_state: Object.freeze({}), next_position: 0, spoken: 0, notes: 0 }
    return this.rows.select("sessions", sessionOf(key))[0] ?? { ...sessionOf(key), ...empty }
  }

  #append(row: RowTables["sessions"], messages: readonly HistoryMessage[]): void {
    const { rows, spoken } = historyRows(row, messages, { position: row.next_position, spoken: row.spoken })
    this.rows.insert("messages", rows)
    this.rows.insert("sessions", [{ ...row, next_position: row.next_position + rows.length, spoken }])
  }
}
