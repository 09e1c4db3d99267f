import { bytesFromText, bytesToText } from "../blob.ts"
import { tellForgotten } from "../forgetting.ts"
import { frozenJson } from "../frozen-json.ts"
import type { JobRunner } from "../job-runner.ts"
import type { Store, StoreScope } from "../store.ts"
import { readStoreRows, type StoreRow, vectorValues } from "../store-row.ts"
import { createBlobRecords, keepBytes, readBlob } from "./blob-records.ts"
import { exportedRows } from "./export-rows.ts"
import { forgetRows } from "./forget-rows.ts"
import { forgetById } from "./forget-turns.ts"
import { createMemoryRecords, memoryColumns, memoryOf, memoryRow, putVector } from "./memory-records.ts"
import { lockOwner, lockUsers, markChanged, numbersOfAll } from "./memory-scopes.ts"
import { createReceiptRecords, putReceipts, receiptColumns } from "./receipt-records.ts"
import { historyRows, messageRow, rowId, sessionOf, sessionRowId, userOf } from "./row-tables.ts"
import type { RowDatabase, Rows } from "./rows.ts"
import { putWorkOver } from "./turn-work.ts"
import { createUserRecords, insertStatements } from "./user-records.ts"

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

/** A row of one table. */
type RowOf<Table extends StoreRow["table"]> = StoreRow & { readonly table: Table }

/** The sessions and users that this import made. Only they take further rows; those that were there already stay as they are. */
interface ImportedOwners {
  readonly sessions: Map<string, NewSession>
  readonly users: Set<string>
}

interface NewSession {
  readonly key: ReturnType<typeof sessionOf>
  next_position: number
  spoken: number
  notes: number
}

/** Adds rows to the tables within a transaction, and counts them by table. Rows that are there already stay as they are. */
async function importRows(rows: Rows, given: readonly StoreRow[]): Promise<Record<string, number>> {
  const made: ImportedOwners = { sessions: new Map(), users: new Set() }
  const counts: Record<string, number> = {}
  for (const row of given) if (await importRow(rows, made, row)) counts[row.table] = (counts[row.table] ?? 0) + 1
  for (const { key, ...session } of made.sessions.values()) await rows.update("sessions", key, session)
  return counts
}

/** False where the row is there already. */
async function importRow(rows: Rows, made: ImportedOwners, row: StoreRow): Promise<boolean> {
  switch (row.table) {
    case "session":
    case "message":
    case "note":
    case "blob":
      return importOfSession(rows, made, row)
    case "user":
    case "statement":
      return importUser(rows, made, row)
    case "memory":
    case "vector":
      return importMemory(rows, row)
    case "receipt": {
      const known = await rows.select("receipts", receiptColumns(row.receipt), { columns: ["kind"] })
      if (known.length === 0) await putReceipts(rows, [frozenJson(row.receipt, "receipt")])
      return known.length === 0
    }
    case "job": {
      const { table: _, job, ...rest } = row
      return rows.jobs.restore({ ...rest, job: frozenJson(job, "job") })
    }
  }
}

async function importOfSession(
  rows: Rows,
  { sessions }: ImportedOwners,
  row: RowOf<"session"> | RowOf<"message"> | RowOf<"note"> | RowOf<"blob">,
): Promise<boolean> {
  const key = sessionOf(row)
  if (row.table === "session") {
    const empty = { next_position: 0, spoken: 0, notes: 0 }
    const whole_state = frozenJson(row.state, "state")
    const isNew = await rows.add("sessions", { ...key, version: row.version, whole_state, ...empty })
    if (isNew) sessions.set(sessionRowId(row), { key, ...empty })
    return isNew
  }
  const session = sessions.get(sessionRowId(row))
  if (session === undefined) return false
  if (row.table === "message") {
    await importMessage(rows, session, row)
    return true
  }
  if (row.table === "note") {
    const body = row.note === undefined ? null : frozenJson(row.note, "note")
    return rows.add("notes", { ...key, id: row.id, owner: body?.owner ?? "", position: session.notes++, body })
  }
  const { agent, id, bytes } = row
  if (bytes !== undefined) await keepBytes(rows, agent, id, bytesFromText(bytes))
  else if ((await rows.lock("blobs", { agent, id })).length === 0) return false
  return rows.add("session_blobs", { ...key, id })
}

async function importMessage(rows: Rows, session: NewSession, { message, follows }: RowOf<"message">): Promise<void> {
  const { key, spoken } = session
  const position = session.next_position++
  const body = frozenJson(message, "message")
  if (follows !== undefined) return void (await rows.insert("aside_messages", [{ ...messageRow(key, body, position), follows }]))
  const added = historyRows(key, [body], { position, spoken })
  session.spoken = added.spoken
  await rows.insert("messages", added.rows)
}

async function importUser(rows: Rows, { users }: ImportedOwners, row: RowOf<"user"> | RowOf<"statement">): Promise<boolean> {
  const id = rowId(row.agent, row.user)
  if (row.table === "statement") {
    if (users.has(id)) await insertStatements(rows, [frozenJson(row.statement, "statement")], row)
    return users.has(id)
  }
  // Version 0 is that of a user without statements.
  const isNew = await rows.add("users", { ...userOf(row), version: Math.max(1, row.version) })
  if (isNew) users.add(id)
  return isNew
}

/** False also where the memory of a vector is not there. */
async function importMemory(rows: Rows, row: RowOf<"memory"> | RowOf<"vector">): Promise<boolean> {
  if (row.table === "memory") {
    const memory = frozenJson(row.memory, "memory")
    const users = await lockOwner(rows, memory)
    if ((await findMemory(rows, memory.agent, memory.id)) !== undefined) return false
    const numbers = await numbersOfAll(rows, [memory], users)
    await rows.insert("memories", [memoryRow(memory, row.hash, numbers.get(memory.id))])
    return true
  }
  const { agent, memoryId, model, values } = row
  const memory = await findMemory(rows, agent, memoryId)
  if (memory === undefined) return false
  const known = await rows.select("vectors", { agent, memory_id: memoryId, model }, { columns: ["model"] })
  if (known.length > 0) return false
  await putVector(rows, agent, { memoryId, model, values: vectorValues(bytesFromText(values)) })
  const numbers = await numbersOfAll(rows, [memory], await lockUsers(rows, agent, [memory.user]))
  await markChanged(rows, [{ memory }], numbers)
  return true
}

async function findMemory(rows: Rows, agent: string, id: string) {
  return (await rows.select("memories", { agent, id }, { columns: memoryColumns })).map(memoryOf)[0]
}
