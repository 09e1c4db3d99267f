import { bytesToText } from "../blob.ts"
import { tellForgotten } from "../forgetting.ts"
import type { JobRunner } from "../job-runner.ts"
import type { Store, StoreScope } from "../store.ts"
import { readStoreRows } from "../store-row.ts"
import { createBlobRecords, readBlob } from "./blob-records.ts"
import { exportedRows } from "./export-rows.ts"
import { forgetRows } from "./forget-rows.ts"
import { forgetById } from "./forget-turns.ts"
import { importRows } from "./import-rows.ts"
import { createMemoryRecords } from "./memory-records.ts"
import { createReceiptRecords } from "./receipt-records.ts"
import { sessionOf } from "./row-tables.ts"
import type { RowDatabase, Rows } from "./rows.ts"
import { putWorkOver } from "./turn-work.ts"
import { createUserRecords } from "./user-records.ts"

/** The parts of a store that differ between memory and databases. */
interface RowStoreParts {
  readonly database: RowDatabase
  readonly runner: JobRunner
  /** To be called after a transaction that restored or deleted jobs. */
  wakeJobs(): void
  /** Drops what this process keeps of rows that a transaction deletes, also if that failed. */
  clearCache(): void
  /** Stops jobs of a deleted scope that run in this process. */
  stopForgotten(scope: StoreScope): void | Promise<void>
  /** Removes what the database still holds of deleted rows. Called after each deletion. */
  erase(): Promise<void>
}

/** The part of a store that is the same over all tables: records, exports, imports and forgetting. */
export function createRowStore({ database, runner, ...own }: RowStoreParts): Pick<
  Store,
  "wakes" | "memories" | "users" | "blobs" | "conversations" | "export" | "import" | "forget"
> & {
  readonly receipts: Store["receipts"] & Required<Pick<Store["receipts"], "putWork">>
} {
  async function afterForgetting(scope: StoreScope): Promise<void> {
    await own.stopForgotten(scope)
    own.wakeJobs()
    await own.erase()
  }
  return {
    wakes: {
      async put(job) {
        const isNew = await database.write(async ({ jobs }) => jobs.restore({ job, attempts: 0 }))
        own.wakeJobs()
        return isNew
      },
      async list(scope) {
        const rows = await database.read(async ({ jobs }) => jobs.list({ scope, privateConversations: [] }))
        return rows.flatMap(({ job, error }) => (job.dueMs !== undefined && error === undefined ? [job] : []))
      },
      async delete({ agent, conversation, audience }, id) {
        const key = { agent, conversation, audience }
        await database.write(async ({ jobs }) => jobs.forgetTurns(key, new Set([id])))
        await own.stopForgotten({ agent, conversation })
        own.wakeJobs()
      },
    },
    memories: {
      ...createMemoryRecords(database),
      async forget(ids, options) {
        const { agent, user } = options.key
        const forgotten = await database.write((rows) => forgetById(rows, ids, options)).finally(own.clearCache)
        if (forgotten.memories === 0) return forgotten
        await afterForgetting({ agent, user })
        await tellForgotten(runner, { agent, user, memories: true })
        return forgotten
      },
    },
    users: createUserRecords(database),
    receipts: { ...createReceiptRecords(database), putWork: putWorkOver(database) },
    blobs: createBlobRecords(database),
    async conversations(agent, { limit = 100 } = {}) {
      const rows = await database.readOnce(async (rows) => rows.newestMessages(agent, limit))
      return Object.freeze(rows.map((row) => Object.freeze({ key: Object.freeze(sessionOf(row)), newest: row.body })))
    },
    async *export(scope) {
      const told = new Set<string>()
      for (const row of await database.read((rows) => exportedRows(rows, scope))) {
        const isNew = row.table === "blob" && !told.has(row.id)
        const bytes = isNew ? await database.read((rows) => readBlob(rows, row.agent, row.id)) : undefined
        yield JSON.stringify(bytes === undefined ? row : { ...row, bytes: bytesToText(bytes) })
        if (isNew) told.add(row.id)
      }
    },
    async import(lines) {
      const given = await readStoreRows(lines)
      const counts = await database.write((rows) => importRows(rows, given))
      own.wakeJobs()
      return counts
    },
    async forget(scope) {
      const report = await database.write((rows) => forgetRows(rows, scope)).finally(own.clearCache)
      await afterForgetting(scope)
      await tellForgotten(runner, scope)
      return report
    },
  }
}

/** The tables by the names of their rows in an export. */
const countedTables = {
  session: ["sessions"],
  message: ["messages", "aside_messages"],
  note: ["notes"],
  blob: ["session_blobs"],
  memory: ["memories"],
  vector: ["vectors"],
  user: ["users"],
  statement: ["statements"],
  receipt: ["receipts"],
} as const

/** Counts the rows of each table but the jobs, by their names in an export. */
export async function countRows(rows: Rows): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [name, tables] of Object.entries(countedTables)) {
    counts[name] = 0
    for (const table of tables) counts[name] += await rows.count(table)
  }
  return counts
}
