import type { SessionKey } from "../../../../core/conversation.ts"
import { bytesFromText } from "../../../../memory/services/store/blob.ts"
import { frozenJson } from "../../../../memory/services/store/frozen-json.ts"
import type { StoredVector } from "../../../../memory/services/store/records.ts"
import { rowId, sessionRowId } from "../../../../memory/services/store/row-keys.ts"
import { type StoreRow, vectorFromText } from "../../../../memory/services/store/store-row.ts"
import { having, inSession, keyText, sessionColumns, userColumns } from "../key-columns.ts"
import { memoryOf } from "../memory/memory-rows.ts"
import { lockScopeOf } from "../memory/memory-scope.ts"
import { markChanged, putVector } from "../memory/memory-vectors.ts"
import { insertMemory } from "../memory/sql-memory-records.ts"
import { bodyText } from "../row-body.ts"
import { insertMessages, insertNote, messageRow } from "../session/write-session.ts"
import { holdBlob, keepBytes, readBlob } from "../sql-blob-records.ts"
import type { SqlJobs } from "../sql-database.ts"
import { putReceipt, receiptColumns } from "../sql-receipt-records.ts"
import type { Queries } from "../sql-tables.ts"
import { insertStatements } from "../sql-user-records.ts"

/** A row of one table. */
type RowOf<Table extends StoreRow["table"]> = StoreRow & { readonly table: Table }

/** The sessions and users that this import made. Only they take further rows; those that were there already stay as they are. */
interface Made {
  readonly sessions: Map<string, NewSession>
  readonly users: Set<string>
}

interface NewSession {
  readonly key: SessionKey
  next_position: number
  spoken: number
  notes: number
}

/** Adds rows to the tables within a transaction, and counts them by table. Rows that are there already stay as they are. */
export async function importRows(db: Queries, jobs: SqlJobs, rows: readonly StoreRow[]): Promise<Record<string, number>> {
  const made: Made = { sessions: new Map(), users: new Set() }
  const counts: Record<string, number> = {}
  for (const row of rows) if (await importRow(db, jobs, made, row)) counts[row.table] = (counts[row.table] ?? 0) + 1
  for (const { key, ...session } of made.sessions.values())
    await db.updateTable("sessions").set(session).where(inSession(key)).execute()
  return counts
}

/** False where the row is there already. */
async function importRow(db: Queries, jobs: SqlJobs, made: Made, row: StoreRow): Promise<boolean> {
  switch (row.table) {
    case "session":
      return importSession(db, made, row)
    case "message":
    case "note":
      return importOfSession(db, made, row)
    case "blob":
      return made.sessions.has(sessionRowId(row)) && importBlob(db, row)
    case "user":
    case "statement":
      return importUser(db, made, row)
    case "memory":
      return importMemory(db, row)
    case "vector":
      return importVector(db, row.agent, { ...row, values: vectorFromText(row.values) })
    case "receipt": {
      const columns = receiptColumns(row.receipt)
      const known = await db.selectFrom("receipts").select("kind").where(having(columns)).executeTakeFirst()
      if (known === undefined) await putReceipt(db, row.receipt)
      return known === undefined
    }
    case "job": {
      const { table: _, job, ...rest } = row
      return jobs.restore(db, { ...rest, job: frozenJson(job, "job") })
    }
  }
}

async function importSession(db: Queries, made: Made, row: RowOf<"session">): Promise<boolean> {
  const { agent, conversation, audience, version } = row
  const empty = { next_position: 0, spoken: 0, notes: 0 }
  const added = await db
    .insertInto("sessions")
    .values({ ...sessionColumns(row), version, whole_state: bodyText(frozenJson(row.state, "state")), ...empty })
    .onConflict((conflict) => conflict.columns(["agent", "conversation", "audience"]).doNothing())
    .returning("version")
    .executeTakeFirst()
  if (added !== undefined) made.sessions.set(sessionRowId(row), { key: { agent, conversation, audience }, ...empty })
  return added !== undefined
}

async function importOfSession(db: Queries, { sessions }: Made, row: RowOf<"message"> | RowOf<"note">): Promise<boolean> {
  const session = sessions.get(sessionRowId(row))
  if (session === undefined) return false
  if (row.table === "message") {
    const position = session.next_position++
    const message = frozenJson(row.message, "message")
    const { follows } = row
    if (follows === undefined)
      session.spoken = (await insertMessages(db, row, { messages: [message], position, spoken: session.spoken })).spoken
    else
      await db
        .insertInto("aside_messages")
        .values({ ...messageRow(row, message, position), follows })
        .execute()
    return true
  }
  const { id, note } = row
  const body = note === undefined ? null : bodyText(frozenJson(note, "note"))
  return insertNote(db, row, { id, owner: note?.owner ?? "", position: session.notes++, body })
}

/** False also where the bytes are not there. */
async function importBlob(db: Queries, row: RowOf<"blob">): Promise<boolean> {
  const { agent, id, bytes } = row
  if (bytes !== undefined) await keepBytes(db, agent, id, bytesFromText(bytes))
  else if ((await readBlob(db, agent, id)) === undefined) return false
  return holdBlob(db, row, id)
}

async function importUser(db: Queries, { users }: Made, row: RowOf<"user"> | RowOf<"statement">): Promise<boolean> {
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

async function importMemory(db: Queries, { memory, hash }: RowOf<"memory">): Promise<boolean> {
  const { agent, id } = memory
  const { sequence } = await lockScopeOf(db, memory)
  if ((await findMemory(db, agent, id)) !== undefined) return false
  await insertMemory(db, memory, hash, sequence + 1)
  return true
}

/** False also where the vector's memory is not there. */
async function importVector(db: Queries, agent: string, vector: StoredVector): Promise<boolean> {
  const memory = await findMemory(db, agent, vector.memoryId)
  if (memory === undefined) return false
  const columns = { agent: keyText(agent), memory_id: keyText(vector.memoryId), model: keyText(vector.model) }
  const known = await db.selectFrom("vectors").select("model").where(having(columns)).executeTakeFirst()
  if (known !== undefined) return false
  await putVector(db, agent, vector)
  await markChanged(db, memoryOf(memory))
  return true
}

function findMemory(db: Queries, agent: string, id: string) {
  const columns = { agent: keyText(agent), id: keyText(id) }
  return db.selectFrom("memories").select(["agent", "id", "body", "superseded_by"]).where(having(columns)).executeTakeFirst()
}
