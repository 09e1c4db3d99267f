import type { JobRunner } from "../../services/store/job-runner.ts"
import type { Store, StoreScope } from "../../services/store/store.ts"
import { readStoreRow, type StoreRow } from "../../services/store/store-row.ts"
import { checkRows } from "./check-rows.ts"
import { exportLines } from "./export-rows.ts"
import { forgetRows } from "./forget-rows.ts"
import { importRows } from "./import-rows.ts"
import type { SessionCache } from "./session-cache.ts"
import type { SqlDatabase, SqlJobs } from "./sql-database.ts"
import { createSqlMemoryRecords } from "./sql-memory-records.ts"
import { createSqlReceiptRecords } from "./sql-receipt-records.ts"
import { createSqlSessionStore } from "./sql-session-store.ts"
import { createSqlUserRecords } from "./sql-user-records.ts"

/** What a store is made of, and what its database does beside the shared statements. */
export interface SqlStoreParts {
  readonly database: SqlDatabase
  readonly jobs: SqlJobs
  readonly runner: JobRunner
  readonly cache: SessionCache
  /** Jobs of the scope that run in this process stop. */
  stopForgotten(scope: StoreScope): void | Promise<void>
  /** After a deletion: what the database still holds of deleted rows goes too. */
  erase(): Promise<void>
  /** What the database finds wrong with itself, one line each. */
  checkFile(): Promise<readonly string[]>
  close(): Promise<void>
}

/** Everything behind one door, over the shared tables. */
export function createSqlStore({ database, jobs, runner, cache, ...own }: SqlStoreParts): Store {
  return {
    ...createSqlSessionStore(database, jobs, cache),
    jobs: runner,
    memories: createSqlMemoryRecords(database),
    users: createSqlUserRecords(database),
    receipts: createSqlReceiptRecords(database),
    async *export(scope) {
      yield* await database.read((db) => exportLines(db, jobs, scope))
    },
    async import(lines) {
      const rows = await readRows(lines)
      const counts = await database.write((db) => importRows(db, jobs, rows))
      jobs.wake()
      return counts
    },
    async forget(scope) {
      const report = await database.write((db) => forgetRows(db, jobs, scope)).finally(cache.clear)
      await own.stopForgotten(scope)
      jobs.wake()
      await own.erase()
      return report
    },
    async check() {
      const faults = await own.checkFile()
      const { problems, counts } = await database.read((db) => checkRows(db, jobs))
      const all = [...faults, ...problems]
      return { ok: all.length === 0, problems: all, counts }
    },
    close() {
      cache.clear()
      return own.close()
    },
  }
}

async function readRows(lines: AsyncIterable<string> | Iterable<string>): Promise<readonly StoreRow[]> {
  const rows: StoreRow[] = []
  let number = 0
  for await (const line of lines) {
    number += 1
    if (line.trim() !== "") rows.push(readStoreRow(line, number))
  }
  return rows
}
