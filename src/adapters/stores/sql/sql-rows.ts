import { sql } from "kysely"
import type { SessionKey } from "../../../core/conversation.ts"
import { blobId } from "../../../memory/services/store/blob.ts"
import { freezeParsed } from "../../../memory/services/store/frozen-json.ts"
import {
  keyText,
  type LockedRow,
  type LockedTable,
  lockedColumns,
  messageTables,
  type RowTables,
  type TableName,
  tableKeys,
} from "../../../memory/services/store/rows/row-tables.ts"
import {
  type ColumnOf,
  inPages,
  type JobRows,
  type RowDatabase,
  type RowFilter,
  type Rows,
  type Selection,
} from "../../../memory/services/store/rows/rows.ts"
import type { SessionRecord } from "../../../memory/services/store/session-store.ts"
import { bytesChecksum, damagedRow, readBody, storedBody } from "./row-body.ts"
import { filtered, isBody, RowStatements, StatementValues } from "./row-statements.ts"
import { currentState, deleteChanges, sessionsHolding } from "./session/stored-state.ts"
import { fromKeyText, inSession, keyNames, type Queries, type SqlDatabase, type SqlJobs } from "./sql-database.ts"

/** A database whose transactions see the tables that all stores have. */
export interface SqlRowDatabase extends RowDatabase {
  /** The tables within a transaction that has begun. */
  rowsIn(db: Queries): Rows
}

export function rowDatabase(database: SqlDatabase, jobs: SqlJobs): SqlRowDatabase {
  const { read, readOnce, write } = database
  const statements = new RowStatements()
  const rowsIn = (db: Queries) => new SqlRows(db, statements, { jobs, database })
  return {
    rowsIn,
    read: (work) => read((db) => work(rowsIn(db))),
    readOnce: (work) => readOnce((db) => work(rowsIn(db))),
    write: (work) => write((db) => work(rowsIn(db))),
  }
}

/** The tables of a database within a transaction. */
class SqlRows implements Rows {
  readonly jobs: JobRows
  readonly #db: Queries
  readonly #statements: RowStatements

  readonly lockAgent: Rows["lockAgent"]

  constructor(db: Queries, statements: RowStatements, { jobs, database }: Readonly<{ jobs: SqlJobs; database: SqlDatabase }>) {
    this.#db = db
    this.#statements = statements
    this.lockAgent = (agent, how) => database.lockAgent(db, agent, how)
    this.jobs = {
      restore: (row) => jobs.restore(db, row),
      forget: (owned) => jobs.forget(db, owned),
      forgetTurns: (key, turnIds) => jobs.forgetTurns(db, key, turnIds),
      list: (owned) => jobs.list(db, owned),
    }
  }

  async select<Table extends TableName, Column extends ColumnOf<Table> = ColumnOf<Table>>(
    table: Table,
    where: RowFilter<Table>,
    { columns, order = [], isDescending = false, limit, isDistinct = false }: Selection<Column> = {},
  ): Promise<Pick<RowTables[Table], Column>[]> {
    const values = new StatementValues()
    const lists = values.lists(where)
    const most = limit === undefined ? undefined : values.place(limit)
    const read = columns && columnsToRead(table, columns)
    const shape = ["select", table, read, lists, order, isDescending, most, isDistinct] as const
    const { rows } = await this.#statements.run(this.#db, { shape, values }, (db, name) => {
      let query = read ? db.selectFrom(name).select([...read]) : db.selectFrom(name).selectAll()
      if (isDistinct) query = query.distinct()
      query = filtered(query, lists)
      for (const column of order) query = query.orderBy(column, isDescending ? "desc" : "asc")
      return most === undefined ? query : query.limit(most as never)
    })
    for (const row of rows) {
      decode(table, row)
      if (table === "blobs" && "bytes" in row) await checkBytes(row)
    }
    return rows as unknown as Pick<RowTables[Table], Column>[]
  }

  async count(table: TableName): Promise<number> {
    const counted = this.#db.selectFrom(table).select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("count"))
    return (await counted.executeTakeFirstOrThrow()).count
  }

  async insert<Table extends TableName>(table: Table, rows: readonly RowTables[Table][]): Promise<void> {
    for (const page of inPages(rows)) {
      const values = new StatementValues()
      const added = page.map((row) => values.row(withChecksum(table, row)))
      const shape = ["insert", table, Object.keys(added[0] ?? {}), added.length] as const
      await this.#statements.run(this.#db, { shape, values }, (db, name) => db.insertInto(name).values(added))
    }
  }

  async add<Table extends TableName>(table: Table, row: RowTables[Table]): Promise<boolean> {
    const values = new StatementValues()
    const added = values.row(withChecksum(table, row))
    const key = tableKeys[table]
    const { rows } = await this.#statements.run(this.#db, { shape: ["add", table, Object.keys(added)], values }, (db, name) =>
      db
        .insertInto(name)
        .values(added)
        .onConflict((conflict) => conflict.columns([...key]).doNothing())
        .returning(key[0]),
    )
    return rows.length > 0
  }

  async put<Table extends TableName>(
    table: Table,
    rows: readonly RowTables[Table][],
    columns: readonly ColumnOf<Table>[],
    where: RowFilter<Table> = {},
  ): Promise<void> {
    for (const page of inPages(rows)) {
      const values = new StatementValues()
      const added = page.map((row) => values.row(withChecksum(table, row)))
      const given = Object.keys(added[0] ?? {})
      const changing = given.filter((column) => column === "checksum" || (columns as readonly string[]).includes(column))
      const lists = values.lists(where)
      const shape = ["put", table, given, added.length, columns, lists] as const
      await this.#statements.run(this.#db, { shape, values }, (db, name) =>
        db
          .insertInto(name)
          .values(added)
          .onConflict((conflict) => {
            const set = conflict
              .columns([...tableKeys[table]])
              .doUpdateSet(({ ref }) => Object.fromEntries(changing.map((column) => [column, ref(`excluded.${column}`)])))
            return filtered(set, lists, table)
          }),
      )
    }
  }

  async lock<Table extends LockedTable>(table: Table, where: RowFilter<Table>): Promise<readonly LockedRow<Table>[]> {
    const values = new StatementValues()
    const lists = values.lists(where)
    const columns = lockedColumns[table]
    const { rows } = await this.#statements.run(this.#db, { shape: ["lock", table, lists], values }, (db, name) =>
      filtered(
        db.updateTable(name).set(({ ref }) => ({ [columns[0]]: ref(columns[0]) })),
        lists,
      ).returning([...columns]),
    )
    return rows as unknown as readonly LockedRow<Table>[]
  }

  async lockOrMake<Table extends LockedTable>(table: Table, row: RowTables[Table]): Promise<LockedRow<Table>> {
    const values = new StatementValues()
    const made = values.row(row)
    const columns = lockedColumns[table]
    const { rows } = await this.#statements.run(
      this.#db,
      { shape: ["lockOrMake", table, Object.keys(made)], values },
      (db, name) =>
        db
          .insertInto(name)
          .values(made)
          .onConflict((conflict) =>
            conflict.columns([...tableKeys[table]]).doUpdateSet(({ ref }) => ({ [columns[0]]: ref(`${table}.${columns[0]}`) })),
          )
          .returning([...columns]),
    )
    return rows[0] as unknown as LockedRow<Table>
  }

  async update<Table extends TableName>(table: Table, where: RowFilter<Table>, change: Partial<RowTables[Table]>): Promise<void> {
    const values = new StatementValues()
    const set = values.row(change)
    const lists = values.lists(where)
    await this.#statements.run(this.#db, { shape: ["update", table, Object.keys(set), lists], values }, (db, name) =>
      filtered(db.updateTable(name).set(set), lists),
    )
  }

  async raiseVersion<Table extends "users" | "sessions">(table: Table, where: RowFilter<Table>): Promise<void> {
    const values = new StatementValues()
    const lists = values.lists(where)
    await this.#statements.run(this.#db, { shape: ["raise", table, lists], values }, (db, name) =>
      filtered(
        db.updateTable(name).set(({ eb }) => ({ version: eb("version", "+", 1) })),
        lists,
      ),
    )
  }

  async delete<Table extends TableName>(table: Table, where: RowFilter<Table>): Promise<number> {
    const values = new StatementValues()
    const lists = values.lists(where)
    const { numAffectedRows } = await this.#statements.run(this.#db, { shape: ["delete", table, lists], values }, (db, name) =>
      filtered(db.deleteFrom(name), lists),
    )
    return Number(numAffectedRows ?? 0)
  }

  async readState(key: SessionKey): Promise<SessionRecord["state"]> {
    const row = this.#db.selectFrom("sessions").select("whole_state").where(inSession(key))
    return (await currentState(this.#db, key, (await row.executeTakeFirstOrThrow()).whole_state)).state
  }

  async writeState(key: SessionKey, state: SessionRecord["state"]): Promise<void> {
    await deleteChanges(this.#db, key)
    await this.#db
      .updateTable("sessions")
      .set({ whole_state: storedBody(state) })
      .where(inSession(key))
      .execute()
  }

  async newestMessages(agent: string, limit: number): Promise<readonly RowTables["messages"][]> {
    const rows = await this.#db
      .selectFrom("sessions")
      .innerJoin("messages", (join) =>
        keyNames
          .reduce((on, name) => on.onRef(`messages.${name}`, "=", `sessions.${name}`), join)
          .on("messages.position", "=", lastOfSession),
      )
      .selectAll("messages")
      .where("sessions.agent", "=", keyText(agent))
      .orderBy("messages.at_ms", "desc")
      .limit(limit)
      .execute()
    for (const row of rows) decode("messages", row)
    return rows as unknown as readonly RowTables["messages"][]
  }

  sessionsHolding(agent: string, member: string): Promise<readonly SessionKey[]> {
    return sessionsHolding(this.#db, agent, member)
  }
}

/** The place of the newest message of a row of `sessions`. The key of messages leads to it. */
const lastOfSession = sql<number>`(select max(own.position) from messages as own where own.agent = sessions.agent
  and own.conversation = sessions.conversation and own.audience = sessions.audience)`

/** The columns that are read for some columns: an error about what a row holds names the row by its key. */
function columnsToRead(table: TableName, columns: readonly string[]): readonly string[] {
  const bytes = checked[table] ?? "bytes"
  if (!columns.some((column) => isBody(column) || column === bytes)) return columns
  return [...new Set([...columns, ...tableKeys[table], ...(columns.includes(bytes) && table in checked ? ["checksum"] : [])])]
}

/** The columns of bytes whose checksum stands beside them. The bytes of blobs have theirs as id. */
const checked: { readonly [Table in TableName]?: string } = { vectors: "vector", index_copies: "bytes" }

function withChecksum(table: TableName, given: object): Readonly<Record<string, unknown>> {
  const row = given as Readonly<Record<string, unknown>>
  const column = checked[table]
  return column === undefined ? row : { ...row, checksum: bytesChecksum(row[column] as Uint8Array) }
}

/** Turns the values of a row into those of its table. Throws `store` with the row's name if it is damaged. */
function decode(table: TableName, row: Record<string, unknown>): void {
  const name = { table, columns: Object.fromEntries(tableKeys[table].map((column) => [column, row[column] as string])) }
  const isMessage = (messageTables as readonly string[]).includes(table)
  for (const [column, value] of Object.entries(row)) {
    if (isBody(column) && value !== null) {
      const body = readBody(value as string, name)
      row[column] = isMessage ? freezeParsed(body) : body
    } else if (typeof value === "string") row[column] = fromKeyText(value)
  }
  const bytes = row[checked[table] ?? ""]
  // Rows of older versions have no checksum.
  if (bytes instanceof Uint8Array && row.checksum !== null && row.checksum !== bytesChecksum(bytes))
    throw damagedRow(name, `${table === "vectors" ? "a vector" : "bytes"} with another checksum`)
}

async function checkBytes({ agent, id, bytes }: Record<string, unknown>): Promise<void> {
  const columns = { agent: keyText(String(agent)), id: keyText(String(id)) }
  if ((await blobId(new Uint8Array(bytes as Uint8Array))) !== id) throw damagedRow({ table: "blobs", columns }, "other bytes")
}
