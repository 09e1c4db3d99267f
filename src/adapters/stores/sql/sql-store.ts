import { bytesToText } from "../../../memory/services/store/blob.ts"
import { tellForgotten, tellSetAside } from "../../../memory/services/store/forgetting.ts"
import type { JobRunner } from "../../../memory/services/store/job-runner.ts"
import type { StoreScope } from "../../../memory/services/store/store.ts"
import { readStoreRows, type StoreRow } from "../../../memory/services/store/store-row.ts"
import type { DatabaseStore } from "../database-store.ts"
import { forgetById } from "./maintenance/forget-by-id.ts"
import { repairRows } from "./maintenance/repair-rows.ts"
import { checkRows } from "./maintenance/sql-check.ts"
import { exportedRows } from "./maintenance/sql-export.ts"
import { forgetRows } from "./maintenance/sql-forget.ts"
import { importRows } from "./maintenance/sql-import.ts"
import { createSqlMemoryRecords } from "./memory/sql-memory-records.ts"
import type { SessionCache } from "./session/session-cache.ts"
import { createSqlSessionStore } from "./session/sql-session-store.ts"
import { createSqlBlobRecords, readBlob } from "./sql-blob-records.ts"
import type { SqlDatabase, SqlJobs } from "./sql-database.ts"
import { createSqlReceiptRecords } from "./sql-receipt-records.ts"
import { createSqlUserRecords } from "./sql-user-records.ts"

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
  close(): Promise<void>
}

/** A store over the shared tables of a database. */
export function createSqlStore({ database, jobs, runner, cache, ...own }: SqlStoreParts): DatabaseStore {
  async function withBytes(row: StoreRow & { readonly table: "blob" }): Promise<StoreRow> {
    const bytes = await database.read((db) => readBlob(db, row.agent, row.id))
    return bytes === undefined ? row : { ...row, bytes: bytesToText(bytes) }
  }
  return {
    ...createSqlSessionStore(database, {
      ...{ jobs, cache, stopForgotten: own.stopForgotten },
      tellSetAside: (key) => tellSetAside(runner, key),
    }),
    jobs: runner,
    memories: {
      ...createSqlMemoryRecords(database),
      async forget(ids, options) {
        const { key } = options
        const forgotten = await database.write((db) => forgetById(db, jobs, ids, options)).finally(() => cache.clear())
        if (forgotten.memories === 0) return forgotten
        await own.stopForgotten({ agent: key.agent, user: key.user })
        jobs.wake()
        await own.erase()
        await tellForgotten(runner, { agent: key.agent, user: key.user, memories: true })
        return forgotten
      },
    },
    users: createSqlUserRecords(database),
    receipts: createSqlReceiptRecords(database),
    blobs: createSqlBlobRecords(database),
    async *export(scope) {
      const told = new Set<string>()
      for (const row of await database.read((db) => exportedRows(db, jobs, scope))) {
        const isNew = row.table === "blob" && !told.has(row.id)
        yield JSON.stringify(isNew ? await withBytes(row) : row)
        if (isNew) told.add(row.id)
      }
    },
    async import(lines) {
      const rows = await readStoreRows(lines)
      const counts = await database.write((db) => importRows(db, jobs, rows))
      jobs.wake()
      return counts
    },
    async forget(scope) {
      const report = await database.write((db) => forgetRows(db, jobs, scope)).finally(() => cache.clear())
      await own.stopForgotten(scope)
      jobs.wake()
      await own.erase()
      await tellForgotten(runner, scope)
      return report
    },
    async check() {
      const faults = await own.checkFile()
      const { problems, counts } = await database.read((db) => checkRows(db, jobs))
      const all = [...faults, ...problems]
      return { ok: all.length === 0, problems: all, counts }
    },
    async repair(path) {
      const damaged = await repairRows(database, jobs, path).finally(() => cache.clear())
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
      return own.close()
    },
  }
}
