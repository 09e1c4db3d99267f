import { Kysely, type Logger } from "kysely"
import { PromptStrataError } from "../../core/errors.ts"
import type { RandomSource, Timers } from "../../core/ports.ts"
import { storeClosed } from "../../services/store-closed.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import type { Queries, Tables } from "../sql/sql-tables.ts"
import { type Sqlite, type SqliteDatabase, sqliteDialect } from "./node-sqlite.ts"
import { busyFault, isBusy, sqliteFault } from "./sqlite-fault.ts"

/** What opening a file takes. */
export interface SqliteDatabaseOptions {
  readonly timers: Timers
  readonly random: RandomSource
  /** How long to wait for other processes. */
  readonly busyMs: number
  /** Told of every statement: for tests. */
  readonly log?: Logger
}

/** The shared statements' view of a file, and what only SQLite can. */
export interface OpenSqlite extends SqlDatabase {
  readonly file: string
  readonly raw: SqliteDatabase
  /** Runs something on the bare connection, while no transaction has it, as often as it takes until no other process is in its way. */
  exclusively<T>(work: (database: SqliteDatabase) => T): Promise<T>
}

/**
 * Opens a file that is there. Several processes may have it open: a write waits until the others have ended theirs, without holding
 * up this process. A write that has settled is on the disk (WAL, full sync).
 */
export async function openSqliteDatabase(sqlite: Sqlite, file: string, options: SqliteDatabaseOptions): Promise<OpenSqlite> {
  let closing: Promise<void> | undefined
  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    const refusal = () => storeClosed(`The store in ${file}`, { file })
    if (closing) throw refusal()
    return retryWhileBusy(work, file, options).catch((error: unknown) => {
      // What still waited for its transaction finds no database: nothing was written.
      throw closing && !PromptStrataError.isInstance(error) ? refusal() : error
    })
  }
  const raw = await retried(async () => openRaw(sqlite, file))
  const { log } = options
  const db = new Kysely<Tables>({ dialect: sqliteDialect(raw), ...(log ? { log } : {}) })
  const inTransaction = <T>(accessMode: "read only" | "read write", work: (db: Queries) => Promise<T>) =>
    retried(() => db.transaction().setAccessMode(accessMode).execute(work))
  return {
    file,
    raw,
    types: { text: "text", bytes: "blob" },
    read: (work) => inTransaction("read only", work),
    write: (work) => inTransaction("read write", work),
    // A writing transaction has the whole file.
    lockSchema: async () => {},
    exclusively: (work) => retried(() => db.connection().execute(async () => work(raw))),
    close() {
      closing ??= db.destroy().then(() => {
        if (raw.isOpen) raw.close()
      })
      return closing
    },
  }
}

function openRaw({ DatabaseSync }: Sqlite, file: string): SqliteDatabase {
  const database = new DatabaseSync(file)
  try {
    // Short, as the whole process stands still for it; who waits longer waits beside other work.
    database.exec("pragma busy_timeout = 5")
    database.exec("pragma journal_mode = wal")
    // In WAL mode, anything less loses acknowledged turns when the power fails.
    database.exec("pragma synchronous = full")
    database.exec("pragma foreign_keys = on")
    // What was deleted is overwritten.
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
  { timers, random, busyMs }: SqliteDatabaseOptions,
): Promise<T> {
  let waitedMs = 0
  for (let round = 1; ; round++) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw sqliteFault(error, file)
      if (waitedMs >= busyMs) throw busyFault(file, waitedMs)
    }
    // By chance, so that those who wait do not always meet.
    const delayMs = Math.ceil(Math.min(50, 2 ** Math.min(round, 6)) * (0.5 + random() / 2))
    await new Promise<void>((resume) => timers.set(resume, delayMs))
    waitedMs += delayMs
  }
}
