import { statSync } from "node:fs"
import { resolve } from "node:path"
import { setImmediate } from "node:timers/promises"
import { Kysely, type Logger } from "kysely"
import { PromptStrataError } from "../../../core/errors.ts"
import type { RandomSource, Timers } from "../../../core/ports.ts"
import { growingWaitMs } from "../../../core/timers.ts"
import { storeClosed } from "../../../memory/services/store/store.ts"
import { runPreparedAtOnce } from "../sql/prepared.ts"
import type { Queries, SqlDatabase, Tables } from "../sql/sql-database.ts"
import { preparedOn, type Sqlite, type SqliteDatabase, sqliteDialect, statementRunner } from "./node-sqlite.ts"
import { busyFault, goneFault, isBusy, sqliteFault } from "./sqlite-fault.ts"

/** How long the writes of a file have waited for other processes, in all. */
interface WaitTime {
  ms: number
}

/** Runs a write transaction. Its wait for other processes counts from `sinceMs` of {@link WaitTime}. */
type RunTransaction = <T>(work: (db: Queries) => Promise<T>, sinceMs: number) => Promise<T>

/** The parts of a file that writes share. */
interface SharedFile {
  readonly exec: (sql: string) => void
  readonly waits: WaitTime
}

/** A write that waits for its transaction. */
interface Write {
  /** The waits of the file's writes when this one was asked for. Those from then on are waits of this one too. */
  readonly sinceMs: number
  readonly work: (db: Queries) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The most writes of one transaction. What else the process has to do waits as long as they take. */
const mostInGroup = 64

/**
 * Writes that wait at the same time share a transaction, because each transaction waits for the disk. Each write stays all or nothing:
 * one that throws an error of this library is taken back alone. No write settles before the transaction has, not even one that failed,
 * because it may have seen what the others wrote. If the transaction itself fails, nothing of it is left, and each write is done again
 * in one of its own.
 */
export function groupCommit(transaction: RunTransaction, file: SharedFile): SqlDatabase["write"] {
  const waiting: Write[] = []
  let isWriting = false

  const writeAll = async (): Promise<void> => {
    // Writes of the same round of the event loop join the first one.
    await setImmediate()
    while (waiting.length > 0) {
      // Of several that wait, each has come in a round of the event loop that may bring more. One alone does not wait for more rounds.
      for (let known = 1; waiting.length > known && waiting.length < mostInGroup; await setImmediate()) known = waiting.length
      await writeGroup(transaction, file, waiting)
      // Work of others comes in between.
      if (waiting.length > 0) await setImmediate()
    }
    isWriting = false
  }

  return <T>(work: (db: Queries) => Promise<T>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    waiting.push({ sinceMs: file.waits.ms, work, resolve: (value) => resolve(value as T), reject })
    if (!isWriting) void writeAll()
    isWriting = true
    return promise
  }
}

async function writeGroup(transaction: RunTransaction, file: SharedFile, waiting: Write[]): Promise<void> {
  let group: Write[] = []
  const { sinceMs = file.waits.ms } = waiting[0] ?? {}
  try {
    const settle = await transaction(async (db) => {
      // Taken only now: others have come while the file was busy. The same group again after a fault.
      if (group.length === 0) group = waiting.splice(0, mostInGroup)
      const [first] = group
      if (group.length === 1 && first) return [settledBy(first, await first.work(db))]
      const outcomes: (() => void)[] = []
      for (const write of group) outcomes.push(await writeOne(db, write, file.exec))
      return outcomes
    }, sinceMs)
    for (const each of settle) each()
  } catch (error) {
    // A file that is closed, or busy for too long, refuses before it asks for any work. Those that came meanwhile wait on.
    if (group.length === 0) {
      const younger = waiting.findIndex((write) => write.sinceMs > sinceMs)
      group = waiting.splice(0, younger < 0 ? waiting.length : younger)
    } else if (group.length > 1) return writeAlone(transaction, group)
    for (const { reject } of group) reject(error)
  }
}

/** Does a write within a transaction of several. Returns the way to settle it once the transaction is durable. */
async function writeOne(db: Queries, write: Write, exec: (sql: string) => void): Promise<() => void> {
  exec("savepoint one")
  try {
    const value = await write.work(db)
    exec("release one")
    return settledBy(write, value)
  } catch (error) {
    // Others, such as a full disk, can end the whole transaction.
    if (!PromptStrataError.isInstance(error)) throw error
    exec("rollback to one")
    exec("release one")
    return () => write.reject(error)
  }
}

async function writeAlone(transaction: RunTransaction, group: readonly Write[]): Promise<void> {
  for (const { work, sinceMs, resolve, reject } of group) await transaction(work, sinceMs).then(resolve, reject)
}

const settledBy =
  ({ resolve }: Write, value: unknown): (() => void) =>
  () =>
    resolve(value)

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
  const path = resolve(file)
  const inode = (): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino
  const opened = inode()
  const write: RunTransaction = (work, sinceMs) => {
    const inPlace = async (): ReturnType<typeof work> => {
      if (inode() !== opened) throw goneFault(file)
      // A write transaction that begins with a read can fail at its first write, when another process has written since.
      return inTransaction("begin immediate", work)
    }
    return retried(inPlace, waits, sinceMs)
  }
  return {
    file,
    raw,
    types: { text: "text", bytes: "blob" },
    read: (work) => retried(() => inTransaction("begin", work)),
    readOnce: (work) => retried(() => alone(() => work(db))),
    write: groupCommit(write, { exec: (sql) => raw.exec(sql), waits }),
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
  { timers, random, busyMs, waits, sinceMs }: SqliteDatabaseOptions & { readonly waits: WaitTime; readonly sinceMs: number },
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
    const delayMs = growingWaitMs(round, { baseMs: 2, maxMs: 50 }, random)
    await new Promise<void>((resume) => timers.set(resume, delayMs))
    waits.ms += delayMs
  }
}
