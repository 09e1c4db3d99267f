import { bytesFromText } from "../blob.ts"
import { frozenJson } from "../frozen-json.ts"
import { rowId, sessionRowId } from "../row-keys.ts"
import { type StoreRow, vectorFromText } from "../store-row.ts"
import { keepBytes } from "./blob-records.ts"
import { memoryColumns, memoryOf, memoryRow, putVector } from "./memory-records.ts"
import { lockOwner, lockUsers, markChanged, numbersOfAll } from "./memory-scopes.ts"
import { putReceipts, receiptColumns } from "./receipt-records.ts"
import { historyRows, messageRow, sessionOf, userOf } from "./row-tables.ts"
import type { Rows } from "./rows.ts"
import { insertStatements } from "./user-records.ts"

/** A row of one table. */
type RowOf<Table extends StoreRow["table"]> = StoreRow & { readonly table: Table }

/** The sessions and users that this import made. Only they take further rows; those that were there already stay as they are. */
interface Made {
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
export async function importRows(rows: Rows, given: readonly StoreRow[]): Promise<Record<string, number>> {
  const made: Made = { sessions: new Map(), users: new Set() }
  const counts: Record<string, number> = {}
  for (const row of given) if (await importRow(rows, made, row)) counts[row.table] = (counts[row.table] ?? 0) + 1
  for (const { key, ...session } of made.sessions.values()) await rows.update("sessions", key, session)
  return counts
}

/** False where the row is there already. */
async function importRow(rows: Rows, made: Made, row: StoreRow): Promise<boolean> {
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
  { sessions }: Made,
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

async function importUser(rows: Rows, { users }: Made, row: RowOf<"user"> | RowOf<"statement">): Promise<boolean> {
  const id = rowId(row.agent, row.user)
  if (row.table === "statement") {
    if (users.has(id)) await insertStatements(rows, [frozenJson(row.statement, "statement")], row)
    return users.has(id)
  }
  const isNew = await rows.add("users", { ...userOf(row), version: row.version })
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
  await putVector(rows, agent, { memoryId, model, values: vectorFromText(values) })
  const numbers = await numbersOfAll(rows, [memory], await lockUsers(rows, agent, [memory.user]))
  await markChanged(rows, [{ memory }], numbers)
  return true
}

async function findMemory(rows: Rows, agent: string, id: string) {
  return (await rows.select("memories", { agent, id }, { columns: memoryColumns })).map(memoryOf)[0]
}
