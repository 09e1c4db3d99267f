import { renumbered, withoutMessages } from "../../../../memory/services/store/branches.ts"
import type { Receipt } from "../../../../memory/services/store/receipt.ts"
import type { ProfileStatement } from "../../../../memory/services/store/records.ts"
import { byTime, compareReceipts, compareSessions, compareTexts } from "../../../../memory/services/store/row-keys.ts"
import type { StoreScope } from "../../../../memory/services/store/store.ts"
import { ofSession, type StoreRow, vectorToText } from "../../../../memory/services/store/store-row.ts"
import { fromKeyText, inSession, keyText, userColumns } from "../key-columns.ts"
import { memoryOf } from "../memory/memory-rows.ts"
import { readVector } from "../memory/memory-vectors.ts"
import { readBody } from "../row-body.ts"
import { readNote } from "../session/read-session.ts"
import { wholeMessages } from "../session/session-branches.ts"
import { readState } from "../session/stored-state.ts"
import { heldBlobs, namedBlobs } from "../sql-blob-records.ts"
import type { OwnedKeys, SqlJobs } from "../sql-database.ts"
import type { Queries } from "../sql-tables.ts"
import { type OwnedSession, ownedKeys, ownedSessions, spokenTurns, whereOwned } from "./scope-rows.ts"

/**
 * The rows of a scope in the order of an export. Rows are sorted here, because databases differ in how they sort text. Rows of blobs
 * are without their bytes: these are read one by one.
 */
export async function exportedRows(db: Queries, jobs: SqlJobs, scope: StoreScope): Promise<readonly StoreRow[]> {
  const sessions = [...(await ownedSessions(db, scope))].sort((a, b) => compareSessions(a.key, b.key))
  const owned = ownedKeys(scope, sessions)
  const rows: StoreRow[] = []
  for (const session of sessions) rows.push(...(await sessionRows(db, session, scope)))
  rows.push(...(await memoryRows(db, owned)), ...(await userRows(db, scope)), ...(await receiptRows(db, owned)))
  rows.push(...(await jobs.list(db, owned)).map((row): StoreRow => ({ table: "job", ...row })))
  return rows
}

async function sessionRows(db: Queries, { key, owns }: OwnedSession, scope: StoreScope): Promise<readonly StoreRow[]> {
  const found = db.selectFrom("sessions").select(["version", "whole_state"]).where(inSession(key))
  const { version, whole_state } = await found.executeTakeFirstOrThrow()
  const turns = owns === "part" && "user" in scope ? await spokenTurns(db, key, scope.user) : undefined
  const state = turns === undefined ? (await readState(db, key, whole_state)).state : {}
  const written = withoutMessages(await wholeMessages(db, key), ({ turnId }) => turns !== undefined && !turns.has(turnId))
  const spoken = renumbered(written).map(
    ({ message, follows }): StoreRow => ({
      table: "message",
      ...ofSession(key),
      message,
      ...(follows === undefined ? {} : { follows }),
    }),
  )
  const notes = turns === undefined ? await noteRows(db, key) : []
  const blobs = await blobRows(db, key, turns)
  return [{ table: "session", ...ofSession(key), version, state }, ...spoken, ...notes, ...blobs]
}

/** The blobs that a session holds; of some turns, if these are given, only those that they name. */
async function blobRows(db: Queries, key: OwnedSession["key"], turns: ReadonlySet<string> | undefined) {
  const held = await heldBlobs(db, key)
  const named = turns && held.length > 0 ? await namedBlobs(db, key, turns) : undefined
  return held.filter((id) => named?.has(id) ?? true).map((id): StoreRow => ({ table: "blob", ...ofSession(key), id }))
}

async function noteRows(db: Queries, key: OwnedSession["key"]): Promise<readonly StoreRow[]> {
  const rows = await db.selectFrom("notes").select(["id", "body"]).where(inSession(key)).orderBy("position").execute()
  return rows.map(({ id, body }) => ({
    table: "note",
    ...ofSession(key),
    id: fromKeyText(id),
    ...(body === null ? {} : { note: readNote(key, id, body) }),
  }))
}

async function memoryRows(db: Queries, owned: OwnedKeys): Promise<readonly StoreRow[]> {
  const rows = await db
    .selectFrom("memories")
    .select(["agent", "id", "hash", "body", "superseded_by"])
    .where(whereOwned(owned))
    .execute()
  const vectors = await vectorRows(db, owned)
  return rows
    .map((row) => ({ memory: memoryOf(row), hash: fromKeyText(row.hash), vectors: vectors.get(row.id) ?? [] }))
    .sort(byTime)
    .flatMap(({ memory, hash, vectors }): readonly StoreRow[] => [{ table: "memory", hash, memory }, ...vectors])
}

/** The vectors by their memory's id, as its column has it. */
async function vectorRows(db: Queries, owned: OwnedKeys): Promise<ReadonlyMap<string, readonly StoreRow[]>> {
  const { agent } = owned.scope
  const memories = db.selectFrom("memories").select("id").where(whereOwned(owned))
  const ofAgent = db.selectFrom("vectors").selectAll().where("agent", "=", keyText(agent))
  const rows = await ofAgent.where("memory_id", "in", memories).execute()
  const byMemory = new Map<string, StoreRow[]>()
  const named = rows.map((row) => ({ values: readVector(row), memory_id: row.memory_id, model: fromKeyText(row.model) }))
  for (const { memory_id, model, ...vector } of named.sort((a, b) => compareTexts([a.model], [b.model]))) {
    const values = vectorToText(vector.values)
    const row: StoreRow = { table: "vector", agent, memoryId: fromKeyText(memory_id), model, values }
    byMemory.set(memory_id, [...(byMemory.get(memory_id) ?? []), row])
  }
  return byMemory
}

/** The users of whom the scope owns statements, each followed by these statements. */
async function userRows(db: Queries, scope: StoreScope): Promise<readonly StoreRow[]> {
  const { agent } = scope
  let owned = db
    .selectFrom("statements")
    .innerJoin("users", (join) =>
      join.onRef("users.agent", "=", "statements.agent").onRef("users.user_id", "=", "statements.user_id"),
    )
    .select(["statements.user_id", "users.version", "statements.position", "statements.body"])
    .where("statements.agent", "=", keyText(agent))
  if ("user" in scope) owned = owned.where("statements.user_id", "=", keyText(scope.user))
  if ("conversation" in scope) owned = owned.where("statements.conversation", "=", keyText(scope.conversation))
  const users = new Map<string, StoreRow[]>()
  for (const { user_id, version, position, body } of await owned.orderBy("statements.position").execute()) {
    const user = fromKeyText(user_id)
    const rows = users.get(user) ?? [{ table: "user", agent, user, version }]
    const columns = { ...userColumns({ agent, user }), position }
    const statement = readBody<ProfileStatement>(body, { table: "statements", columns })
    rows.push({ table: "statement", agent, user, statement })
    users.set(user, rows)
  }
  return [...users].sort(([a], [b]) => compareTexts([a], [b])).flatMap(([, rows]) => rows)
}

async function receiptRows(db: Queries, owned: OwnedKeys): Promise<readonly StoreRow[]> {
  const rows = await db
    .selectFrom("receipts")
    .select(["agent", "conversation", "audience", "turn_id", "kind", "body"])
    .where(whereOwned(owned))
    .orderBy("position")
    .execute()
  const receipts = rows
    .map(({ body, ...columns }) => readBody<Receipt>(body, { table: "receipts", columns }))
    .sort(compareReceipts)
  return receipts.map((receipt): StoreRow => ({ table: "receipt", receipt }))
}
