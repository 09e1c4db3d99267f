import { hostTimers } from "../../../core/ports.ts"
import { within } from "../../../core/timers.ts"
import { tellSetAside } from "../../../memory/services/store/forgetting.ts"
import type { JobRunner } from "../../../memory/services/store/job-runner.ts"
import { createRowStore } from "../../../memory/services/store/rows/row-store.ts"
import type { StoreScope } from "../../../memory/services/store/store.ts"
import type { DatabaseStore } from "../database-store.ts"
import { checkRows } from "./maintenance/damaged-rows.ts"
import { repairRows } from "./maintenance/repair-rows.ts"
import { emptyNewerCaches } from "./migrate.ts"
import type { SessionCache } from "./session/session-cache.ts"
import { createSqlSessionStore } from "./session/sql-session-store.ts"
import type { SqlDatabase, SqlJobs } from "./sql-database.ts"
import { createSqlIndexCopies } from "./sql-index-copies.ts"
import { rowDatabase } from "./sql-rows.ts"

/** The parts of a store that differ between databases. */
export interface SqlStoreParts {
  readonly database: SqlDatabase
  readonly jobs: SqlJobs
  readonly runner: JobRunner
  readonly cache: SessionCache
  /** Stops jobs of a deleted scope that run in this process. */
  stopForgotten(scope: StoreScope): void | Promise<void>
  /** Removes what the database still holds of deleted rows. Called after each deletion. */
  erase(): Promise<void>
  /** Faults that the database finds in itself, one line each. */
  checkFile(): Promise<readonly string[]>
  /** Ends jobs and database. Called once. */
  close(): Promise<void>
}

/** A store over the shared tables of a database. */
export function createSqlStore({ database, jobs, runner, cache, ...own }: SqlStoreParts): DatabaseStore {
  const over = rowDatabase(database, jobs)
  const { settled, ...copies } = createSqlIndexCopies(over)
  const { stopForgotten } = own
  const erase = () => emptyNewerCaches(database).then(own.erase)
  const clearCache = () => cache.clear()
  const rowStore = createRowStore({ database: over, runner, wakeJobs: () => jobs.wake(), clearCache, stopForgotten, erase })
  let closing: Promise<void> | undefined
  return {
    ...createSqlSessionStore(database, {
      ...{ jobs, over, cache, stopForgotten },
      tellSetAside: (key) => tellSetAside(runner, key),
    }),
    ...rowStore,
    jobs: runner,
    memories: { ...rowStore.memories, ...copies },
    async check() {
      const faults = await own.checkFile()
      const { problems, counts } = await database.read((db) => checkRows(db, over.rowsIn(db), jobs))
      const all = [...faults, ...problems]
      return { ok: all.length === 0, problems: all, counts }
    },
    async repair(path) {
      const damaged = await repairRows(database, { over, jobs, path }).finally(clearCache)
      jobs.wake()
      return damaged
    },
    async agents() {
      const found = new Set<string>()
      for (const table of ["sessions", "memories", "receipts"] as const) {
        const rows = await database.read((db) => db.selectFrom(table).select("agent").distinct().execute())
        for (const { agent } of rows) found.add(agent)
      }
      return [...found].sort()
    },
    close() {
      cache.clear()
      // A process that recalls and closes keeps a copy of its index, unless that takes longer.
      closing ??= within({ timeoutMs: 5_000, timers: hostTimers }, settled).then(own.close)
      return closing
    },
  }
}

/** How long closing a store waits for running jobs. */
const drainMs = 5_000

/** Waits for a runner's jobs before its store is closed. Once `isDrained`, the store refuses new ones. */
export function drainOf(runner: Pick<JobRunner, "close">) {
  let isDrained = false
  return {
    isDrained: () => isDrained,
    async drain(): Promise<void> {
      await runner.close({ drainMs }).finally(() => {
        isDrained = true
      })
      // An agent may have been started during the wait.
      await runner.close({ drainMs: 0 })
    },
  }
}
