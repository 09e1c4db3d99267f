import { randomUUID } from "node:crypto"
import type { Logger } from "kysely"
import { checkOptions } from "../../../core/check-options.ts"
import { hostTimers } from "../../../core/ports.ts"
import { quietTimers } from "../../../core/timers.ts"
import { defaultJobSettings } from "../../../memory/services/store/job-runner.ts"
import { runnerOfOpenStore } from "../../../memory/services/store/store.ts"
import type { SqliteStore, SqliteStoreOptions } from "../database-store.ts"
import { migrations, updateSchema } from "../sql/migrate.ts"
import { SessionCache } from "../sql/session/session-cache.ts"
import { createSqlStore, drainOf } from "../sql/sql-store.ts"
import { Leases } from "./leases.ts"
import { loadSqlite } from "./node-sqlite.ts"
import { type OpenSqlite, openSqliteDatabase } from "./sqlite-database.ts"
import { SqliteJobRunner } from "./sqlite-job-runner.ts"
import { createSqliteJobs } from "./sqlite-jobs.ts"
import { backupTo, checkFile, erase, makeStoreFile } from "./store-file.ts"

/** Options of {@link openSqliteStore}, with one that only tests use. */
interface LoggedStoreOptions extends SqliteStoreOptions {
  /** Called with every statement. */
  readonly log?: Logger
}

/**
 * Opens the store in a file, and makes the file if it is missing. Any number of processes may have it open; for each agent one of them
 * runs the jobs. Throws `store` when the file cannot be used, or when a newer version has written to it.
 */
export async function openSqliteStore(file: string, options: LoggedStoreOptions = {}): Promise<SqliteStore> {
  checkOptions("openStore", options, "jobs busyMs pollMs leaseMs onWarning clock timers random log")
  const database = await openMigrated(file, options)
  const runner = runnerOf(database, options)
  const { isDrained, drain } = drainOf(runner)
  const store = createSqlStore({
    database,
    jobs: createSqliteJobs(() => runner.wake()),
    runner: runnerOfOpenStore(runner, { store: `The store in ${file}`, evidence: { file }, isClosed: isDrained }),
    cache: new SessionCache(options.timers ?? quietTimers(hostTimers)),
    stopForgotten: () => runner.stopDeleted(),
    erase: () => erase(database),
    checkFile: () => checkFile(database),
    close: () => drain().finally(() => database.close()),
  })
  return Object.assign(store, { file, backup: (path: string) => backupTo(database, path) })
}

async function openMigrated(file: string, options: LoggedStoreOptions): Promise<OpenSqlite> {
  const { busyMs = 10_000, timers = hostTimers, random = Math.random, log, onWarning = warnOnConsole } = options
  const sqlite = await loadSqlite()
  makeStoreFile(file)
  const database = await openSqliteDatabase(sqlite, file, { timers, random, busyMs, log })
  try {
    await updateSchema(database, migrations, onWarning)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

const warnOnConsole = (message: string) => console.warn(`promptstrata: ${message}`)

function runnerOf(database: OpenSqlite, options: SqliteStoreOptions): SqliteJobRunner {
  const { timers = hostTimers, random = Math.random, clock = { nowMs: () => Date.now() } } = options
  const { leaseMs = 15_000, pollMs = 1_000, onWarning = warnOnConsole } = options
  return new SqliteJobRunner({
    database,
    leases: new Leases(database, { owner: randomUUID(), leaseMs, clock }),
    patienceMs: 2 * leaseMs,
    settings: { ...defaultJobSettings, ...options.jobs },
    pollMs,
    clock,
    timers,
    pollTimers: options.timers ?? quietTimers(hostTimers),
    random,
    onWarning,
  })
}
