import { Kysely, type Logger } from "kysely"
import { PromptStrataError } from "../../../core/errors.ts"
import type { RandomSource, Timers } from "../../../core/ports.ts"
import { storeClosed } from "../../../memory/services/store/store.ts"
import { runPreparedAtOnce } from "../sql/prepared.ts"
import type { Queries, SqlDatabase, Tables } from "../sql/sql-database.ts"
import { groupCommit, type Waits } from "./group-commit.ts"
import { preparedOn, type Sqlite, type SqliteDatabase, sqliteDialect, statementRunner } from "./node-sqlite.ts"
import { busyFault, isBusy, sqliteFault } from "./sqlite-fault.ts"

/** How a file is opened. */
export interface SqliteDatabaseOptions {
  readonly timers: Timers
  readonly random: RandomSource
  /** How long an operation waits for other processes. */
  readonly busyMs: number
  /** Called with every statement, for tests. */
  readonly log?: Logger | undefined
}

/** A file as the shared statements use it, and the bare connection for what only SQLite can do. */
export interface OpenSqlite extends SqlDatabase {
  readonly file: string
  readonly raw: SqliteDatabase
  /** Runs `work` on the bare connection, outside of transactions. It is repeated while another process keeps the file busy. */
  exclusively<T>(work: (database: SqliteDatabase) => T): Promise<T>
}

/**
 * Opens an existing file. Several processes may have it open: a write waits for theirs without blocking this process. A write that
 * has settled is on the disk (WAL, full sync). Writes that wait at the same time share a transaction.
 */
export async function openSqliteDatabase(sqlite: Sqlite, file: string, options: SqliteDatabaseOptions): Promise<OpenSqlite> {
  let closing: Promise<void> | undefined
  const retried = async <T>(work: () => Promise<T>, waits = { ms: 0 }, sinceMs = 0): Promise<T> => {
    const refusal = () => storeClosed(`The store in ${file}`, { file })
    if (closing) throw refusal()
    return retryWhileBusy(work, file, { ...options, waits, sinceMs }).catch((error: unknown) => {
      // Work that still waited for its transaction finds the database closed. It has written nothing.
      throw closing && !PromptStrataError.isInstance(error) ? refusal() : error
    })
  }
  const raw = await retried(async () => openRaw(sqlite, file))
  const db = new Kysely<Tables>({ dialect: sqliteDialect(statementRunner(raw)), ...(options.log && { log: options.log }) })
  // A log hears of the statements that go through Kysely.
  if (!options.log) runPreparedAtOnce(db, (query) => preparedOn(raw, query))
  const alone = oneAfterTheOther()
  const inTransaction = <T>(begin: string, work: (db: Queries) => Promise<T>) =>
    alone(() => transaction(raw, begin, () => work(db)))
  const waits = { ms: 0 }
  return {
    file,
    raw,
    types: { text: "text", bytes: "blob" },
    read: (work) => retried(() => inTransaction("begin", work)),
    readOnce: (work) => retried(() => alone(() => work(db))),
    write: groupCommit(
      // A write transaction that begins with a read can fail at its first write, when another process has written since.
      (work, sinceMs) => retried(() => inTransaction("begin immediate", work), waits, sinceMs),
      { exec: (sql) => raw.exec(sql), waits },
    ),
    // A write transaction locks the whole file.
    lockSchema: async () => {},
    lockAgent: async () => {},
    exclusively: (work) => retried(() => alone(async () => work(raw))),
    close() {
      closing ??= (async () => raw.close())()
      return closing
    },
  }
}

/** Runs works one after the other, in the order in which they come: they share one connection. */
function oneAfterTheOther(): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let isTaken = false
  return async (work) => {
    if (isTaken) await new Promise<void>((resume) => waiting.push(resume))
    isTaken = true
    try {
      return await work()
    } finally {
      const resume = waiting.shift()
      if (resume) resume()
      else isTaken = false
    }
  }
}

async function transaction<T>(database: SqliteDatabase, begin: string, work: () => Promise<T>): Promise<T> {
  database.exec(begin)
  try {
    const value = await work()
    database.exec("commit")
    return value
  } catch (error) {
    // Some faults, such as a full disk, end the transaction. Node before 22.16 has no `isTransaction` to tell that.
    const { isTransaction = true }: { readonly isTransaction?: boolean } = database
    if (isTransaction) database.exec("rollback")
    throw error
  }
}

function openRaw({ DatabaseSync }: Sqlite, file: string): SqliteDatabase {
  const database = new DatabaseSync(file)
  try {
    // SQLite blocks the process while it waits, so this is short. Longer waits are done by `retryWhileBusy`.
    database.exec("pragma busy_timeout = 5")
    database.exec("pragma journal_mode = wal")
    // In WAL mode, a weaker setting loses acknowledged turns when the power fails.
    database.exec("pragma synchronous = full")
    // A log that grew while somebody read a long time is cut to 8 MiB once it begins anew. SQLite begins it anew at about 4.
    database.exec("pragma journal_size_limit = 8388608")
    database.exec("pragma foreign_keys = on")
    // Overwrites deleted content.
    database.exec("pragma secure_delete = on")
    database.exec("pragma temp_store = memory")
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

async function retryWhileBusy<T>(
  work: () => Promise<T>,
  file: string,
  { timers, random, busyMs, waits, sinceMs }: SqliteDatabaseOptions & { readonly waits: Waits; readonly sinceMs: number },
): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw sqliteFault(error, file)
      const waitedMs = waits.ms - sinceMs
      if (waitedMs >= busyMs) throw busyFault(file, waitedMs)
    }
    // Random, so that waiting processes do not all try again at the same moment.
    const delayMs = Math.ceil(Math.min(50, 2 ** Math.min(round, 6)) * (0.5 + random() / 2))
    await new Promise<void>((resume) => timers.set(resume, delayMs))
    waits.ms += delayMs
  }
}
