import { randomUUID } from "node:crypto"
import type { Logger } from "kysely"
import { hostTimers } from "../../core/host-timers.ts"
import type { Clock, RandomSource, Timers } from "../../core/ports.ts"
import { defaultJobSettings, type JobSettings } from "../../services/job-settings.ts"
import type { Store } from "../../services/store.ts"
import { runnerOfOpenStore } from "../../services/store-closed.ts"
import { migrate } from "../sql/migrate.ts"
import { SessionCache } from "../sql/session/session-cache.ts"
import { schemaMigrations } from "../sql/sql-schema.ts"
import { createSqlStore } from "../sql/sql-store.ts"
import { unheldTimers } from "../unref-timers.ts"
import { createLeases } from "./leases.ts"
import { loadSqlite } from "./node-sqlite.ts"
import { openSqliteDatabase } from "./sqlite-database.ts"
import { SqliteJobRunner } from "./sqlite-job-runner.ts"
import { createSqliteJobs, jobMigrations } from "./sqlite-jobs.ts"
import { backupTo, checkFile, erase, makeStoreFile } from "./store-file.ts"

/** How an embedded store is opened. */
export interface SqliteStoreOptions {
  readonly jobs?: Partial<JobSettings>
  /** How long a write waits for other processes before it fails. Default: 10,000. */
  readonly busyMs?: number
  /** How often to look for jobs that other processes have committed. Default: 1,000. */
  readonly pollMs?: number
  /** A process that has not been heard of for so long no longer runs the jobs. Default: 15,000. */
  readonly leaseMs?: number
  /** Told of what goes wrong behind the scenes. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  readonly clock?: Clock
  readonly timers?: Timers
  readonly random?: RandomSource
  /** Told of every statement: for tests. */
  readonly log?: Logger
}

/** A store in a file. */
export interface SqliteStore extends Store {
  /** Where it lies. */
  readonly file: string
  /** Writes a whole copy of this moment to a file that is not there yet, while others go on. */
  backup(path: string): Promise<void>
}

/** How long `close` waits for jobs that run. */
const drainMs = 5_000

/**
 * Opens the store in a file, made where it is missing. Any number of processes may have it open; one of them runs its jobs.
 * Throws `store` for a file that cannot be used, or that a newer version has written to.
 */
export async function openSqliteStore(file: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
  const { busyMs = 10_000, timers = hostTimers, random = Math.random, log } = options
  const sqlite = await loadSqlite()
  makeStoreFile(file)
  const database = await openSqliteDatabase(sqlite, file, { timers, random, busyMs, ...(log ? { log } : {}) })
  try {
    await migrate(database, { part: "store", migrations: schemaMigrations })
    await migrate(database, { part: "jobs", migrations: jobMigrations })
  } catch (error) {
    await database.close()
    throw error
  }
  const runner = runnerOf(database, options)
  let isDrained = false
  const drained = async (): Promise<void> => {
    await runner.close({ drainMs }).finally(() => {
      isDrained = true
    })
    // Of agents that were made while the others' jobs were waited for.
    await runner.close({ drainMs: 0 })
  }
  let closing: Promise<void> | undefined
  const store = createSqlStore({
    database,
    jobs: createSqliteJobs(() => runner.wake()),
    runner: runnerOfOpenStore(runner, { store: `The store in ${file}`, isClosed: () => isDrained }),
    cache: new SessionCache(options.timers ?? unheldTimers),
    stopForgotten: () => runner.stopDeleted(),
    erase: () => erase(database),
    checkFile: () => checkFile(database),
    close() {
      closing ??= drained().finally(() => database.close())
      return closing
    },
  })
  return { ...store, file, backup: (path) => backupTo(database, path) }
}

function runnerOf(database: Parameters<typeof createLeases>[0], options: SqliteStoreOptions): SqliteJobRunner {
  const { timers = hostTimers, random = Math.random, clock = { nowMs: () => Date.now() } } = options
  const { leaseMs = 15_000, pollMs = 1_000, onWarning = (message) => console.warn(`promptstrata: ${message}`) } = options
  return new SqliteJobRunner({
    database,
    leases: createLeases(database, { owner: randomUUID(), leaseMs, clock }),
    patienceMs: 2 * leaseMs,
    settings: { ...defaultJobSettings, ...options.jobs },
    pollMs,
    clock,
    timers,
    pollTimers: options.timers ?? unheldTimers,
    random,
    onWarning,
  })
}
