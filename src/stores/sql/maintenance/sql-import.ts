import type { SessionKey } from "../../../core/keys.ts"
import { frozenJson } from "../../../services/frozen-json.ts"
import { rowId, sessionRowId } from "../../../services/in-memory-store/row-id.ts"
import type { StoreRow } from "../../../services/store-row.ts"
import type { StoredVector } from "../../../services/stored-memory.ts"
import { vectorFromText } from "../../../services/vector-text.ts"
import { keyText, sessionColumns, userColumns } from "../key-columns.ts"
import { memoryOf } from "../memory/memory-rows.ts"
import { lockScope, setSequence, userScope } from "../memory/memory-scope.ts"
import { markChanged, putVector } from "../memory/memory-vectors.ts"
import { insertMemory } from "../memory/sql-memory-records.ts"
import { insertMessages } from "../session/write-session.ts"
import type { SqlJobs } from "../sql-database.ts"
import { putReceipt, receiptColumns } from "../sql-receipt-records.ts"
import type { Queries } from "../sql-tables.ts"
import { insertStatements } from "../sql-user-records.ts"

/** A session that this import made, and what it has by now. */
interface NewSession {
  messages: number
  spoken: number
  notes: number
}

/** What this import made: only that takes further rows. */
interface Made {
  readonly sessions: Map<string, NewSession>
  readonly users: Set<string>
}

/** Puts rows into the tables within a transaction, and counts them by table. Rows that are there already stay as they are. */
export async function importRows(db: Queries, jobs: SqlJobs, rows: readonly StoreRow[]): Promise<Record<string, number>> {
  const made: Made = { sessions: new Map(), users: new Set() }
  const counts: Record<string, number> = {}
  for (const row of rows) if (await importRow(db, { jobs, made }, row)) counts[row.table] = (counts[row.table] ?? 0) + 1
  for (const [id, { messages, spoken, notes }] of made.sessions) {
    const [agent = "", conversation = "", audience] = JSON.parse(id) as [string, string, SessionKey["audience"]]
    await db
      .updateTable("sessions")
      .set({ messages, spoken, notes })
      .where(({ and }) => and(sessionColumns({ agent, conversation, audience })))
      .execute()
  }
  return counts
}

/** False where it is there already. */
async function importRow(
  db: Queries,
  { jobs, made }: { readonly jobs: SqlJobs; readonly made: Made },
  row: StoreRow,
): Promise<boolean> {
  switch (row.table) {
    case "session":
      return importSession(db, made, row)
    case "message":
    case "note":
      return importOfSession(db, made.sessions.get(sessionRowId(row)), row)
    case "user":
    case "statement":
      return importUser(db, made, row)
    case "memory":
      return restoreMemory(db, row)
    case "vector":
      return restoreVector(db, row.agent, { ...row, values: vectorFromText(row.values) })
    case "receipt": {
      const known = await db
        .selectFrom("receipts")
        .select("kind")
        .where(({ and }) => and(receiptColumns(row.receipt)))
        .executeTakeFirst()
      if (known === undefined) await putReceipt(db, row.receipt)
      return known === undefined
    }
    case "job": {
      const { job, attempts, error } = row
      return jobs.restore(db, { job: frozenJson(job, "job"), attempts, ...(error === undefined ? {} : { error }) })
    }
  }
}

async function importSession(db: Queries, made: Made, row: StoreRow & { readonly table: "session" }): Promise<boolean> {
  const whole = JSON.stringify(frozenJson(row.state, "state"))
  const added = await db
    .insertInto("sessions")
    .values({ ...sessionColumns(row), version: row.version, whole_state: whole, messages: 0, spoken: 0, notes: 0 })
    .onConflict((conflict) => conflict.columns(["agent", "conversation", "audience"]).doNothing())
    .returning("version")
    .executeTakeFirst()
  if (added !== undefined) made.sessions.set(sessionRowId(row), { messages: 0, spoken: 0, notes: 0 })
  return added !== undefined
}

async function importOfSession(
  db: Queries,
  session: NewSession | undefined,
  row: StoreRow & { readonly table: "message" | "note" },
): Promise<boolean> {
  if (session === undefined) return false
  if (row.table === "message") {
    const position = session.messages++
    const messages = [frozenJson(row.message, "message")]
    session.spoken = (await insertMessages(db, row, { messages, position, spoken: session.spoken })).spoken
    return true
  }
  const { id, note } = row
  const body = note === undefined ? null : JSON.stringify(frozenJson(note, "note"))
  const added = await db
    .insertInto("notes")
    .values({ ...sessionColumns(row), id: keyText(id), position: session.notes++, owner: keyText(note?.owner ?? ""), body })
    .onConflict((conflict) => conflict.columns(["agent", "conversation", "audience", "id"]).doNothing())
    .returning("id")
    .executeTakeFirst()
  return added !== undefined
}

async function importUser(
  db: Queries,
  { users }: Made,
  row: StoreRow & { readonly table: "user" | "statement" },
): Promise<boolean> {
  const id = rowId(row.agent, row.user)
  if (row.table === "statement") {
    if (users.has(id)) await insertStatements(db, [row.statement], row)
    return users.has(id)
  }
  const added = await db
    .insertInto("users")
    .values({ ...userColumns(row), version: row.version })
    .onConflict((conflict) => conflict.columns(["agent", "user_id"]).doNothing())
    .returning("version")
    .executeTakeFirst()
  if (added !== undefined) users.add(id)
  return added !== undefined
}

/** Puts a memory as an export has it; false where its id is known. */
async function restoreMemory(
  db: Queries,
  { memory, hash }: Pick<StoreRow & { readonly table: "memory" }, "memory" | "hash">,
): Promise<boolean> {
  const { agent, user, id } = memory
  const { sequence } = await lockScope(db, agent, userScope(user))
  if ((await rowOf(db, agent, id)) !== undefined) return false
  await insertMemory(db, memory, { hash, sequence: sequence + 1 })
  await setSequence(db, agent, userScope(user), sequence + 1)
  return true
}

/** Puts a vector as an export has it; false where it is known, or its memory is not. */
async function restoreVector(db: Queries, agent: string, vector: StoredVector): Promise<boolean> {
  const row = await rowOf(db, agent, vector.memoryId)
  if (row === undefined) return false
  const known = await db
    .selectFrom("vectors")
    .select("model")
    .where("agent", "=", keyText(agent))
    .where("memory_id", "=", keyText(vector.memoryId))
    .where("model", "=", keyText(vector.model))
    .executeTakeFirst()
  if (known !== undefined) return false
  await putVector(db, agent, vector)
  await markChanged(db, memoryOf(row))
  return true
}

function rowOf(db: Queries, agent: string, id: string) {
  return db
    .selectFrom("memories")
    .select(["body", "superseded_by"])
    .where("agent", "=", keyText(agent))
    .where("id", "=", keyText(id))
    .executeTakeFirst()
}
