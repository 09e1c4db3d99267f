import type { HistoryMessage } from "../../../core/history.ts"
import { byTime } from "../../../services/in-memory-store/memory-row.ts"
import { compareReceipts } from "../../../services/in-memory-store/receipt-table.ts"
import { compareSessions, compareTexts } from "../../../services/in-memory-store/row-id.ts"
import type { Receipt } from "../../../services/receipt.ts"
import type { SessionNote } from "../../../services/session-store.ts"
import type { StoreScope } from "../../../services/store.ts"
import { ofSession, type StoreRow } from "../../../services/store-row.ts"
import type { ProfileStatement } from "../../../services/user-profile.ts"
import { vectorToText } from "../../../services/vector-text.ts"
import { fromKeyText, keyText, sessionColumns } from "../key-columns.ts"
import { memoryOf, vectorValues } from "../memory/memory-rows.ts"
import { readState } from "../session/stored-state.ts"
import type { OwnedKeys, SqlJobs } from "../sql-database.ts"
import type { Queries } from "../sql-tables.ts"
import { type OwnedSession, ownedKeys, ownedSessions, turnsOf, whereOwned } from "./scope-rows.ts"

/** The rows of a scope as lines, in the order of an export. */
export async function exportLines(db: Queries, jobs: SqlJobs, scope: StoreScope): Promise<readonly string[]> {
  const sessions = [...(await ownedSessions(db, scope))].sort((a, b) => compareSessions(a.key, b.key))
  const owned = ownedKeys(scope, sessions)
  const lines: string[] = []
  const add = (row: StoreRow): void => {
    lines.push(JSON.stringify(row))
  }
  for (const session of sessions) for (const row of await sessionRows(db, session, scope)) add(row)
  for (const row of await memoryRows(db, owned)) add(row)
  for (const row of await exportUsers(db, scope)) add(row)
  for (const row of await receiptRows(db, owned)) add(row)
  for (const row of await jobs.list(db, owned)) add({ table: "job", ...row })
  return lines
}

async function sessionRows(db: Queries, { key, owns }: OwnedSession, scope: StoreScope): Promise<readonly StoreRow[]> {
  const columns = sessionColumns(key)
  const session = await db
    .selectFrom("sessions")
    .select(["version", "whole_state"])
    .where(({ and }) => and(columns))
    .executeTakeFirstOrThrow()
  const spokenIn = owns === "part" && "user" in scope ? await turnsOf(db, key, scope.user).execute() : undefined
  const turns = spokenIn && new Set(spokenIn.map(({ turn_id }) => turn_id))
  const messages = await db
    .selectFrom("messages")
    .select(["turn_id", "body"])
    .where(({ and }) => and(columns))
    .orderBy("position")
    .execute()
  const ofKey = ofSession(key)
  const state = turns === undefined ? (await readState(db, key, session.whole_state)).state : {}
  const spoken = messages
    .filter(({ turn_id }) => turns?.has(turn_id) ?? true)
    .map(({ body }): StoreRow => ({ table: "message", ...ofKey, message: JSON.parse(body) as HistoryMessage }))
  const notes = turns === undefined ? await noteRows(db, key) : []
  return [{ table: "session", ...ofKey, version: session.version, state }, ...spoken, ...notes]
}

async function noteRows(db: Queries, key: OwnedSession["key"]): Promise<readonly StoreRow[]> {
  const rows = await db
    .selectFrom("notes")
    .select(["id", "body"])
    .where(({ and }) => and(sessionColumns(key)))
    .orderBy("position")
    .execute()
  return rows.map(({ id, body }) => ({
    table: "note",
    ...ofSession(key),
    id: fromKeyText(id),
    ...(body === null ? {} : { note: JSON.parse(body) as SessionNote }),
  }))
}

async function memoryRows(db: Queries, owned: OwnedKeys): Promise<readonly StoreRow[]> {
  const rows = await db.selectFrom("memories").select(["id", "hash", "body", "superseded_by"]).where(whereOwned(owned)).execute()
  const vectors = await vectorRows(db, owned)
  return rows
    .map(({ id, hash, ...row }) => ({ memory: memoryOf(row), hash: fromKeyText(hash), vectors: vectors.get(id) ?? [] }))
    .sort(byTime)
    .flatMap(({ memory, hash, vectors }): readonly StoreRow[] => [{ table: "memory", hash, memory }, ...vectors])
}

/** By the column of their memory's id. */
async function vectorRows(db: Queries, owned: OwnedKeys): Promise<ReadonlyMap<string, readonly StoreRow[]>> {
  const agent = keyText(owned.scope.agent)
  const rows = await db
    .selectFrom("vectors")
    .select(["memory_id", "model", "vector"])
    .where("agent", "=", agent)
    .where("memory_id", "in", db.selectFrom("memories").select("id").where(whereOwned(owned)))
    .execute()
  const byMemory = new Map<string, StoreRow[]>()
  const named = rows.map((row) => ({ ...row, model: fromKeyText(row.model) }))
  for (const { memory_id, model, vector } of named.sort((a, b) => compareTexts([a.model], [b.model]))) {
    const memoryId = fromKeyText(memory_id)
    const values = vectorToText(vectorValues(vector))
    const row: StoreRow = { table: "vector", agent: owned.scope.agent, memoryId, model, values }
    byMemory.set(memory_id, [...(byMemory.get(memory_id) ?? []), row])
  }
  return byMemory
}

/** Sorted here, as databases compare texts each in its own way. */
async function receiptRows(db: Queries, owned: OwnedKeys): Promise<readonly StoreRow[]> {
  const rows = await db.selectFrom("receipts").select("body").where(whereOwned(owned)).orderBy("position").execute()
  return rows
    .map(({ body }) => JSON.parse(body) as Receipt)
    .sort(compareReceipts)
    .map((receipt): StoreRow => ({ table: "receipt", receipt }))
}

/** Users of whom the scope owns statements, each followed by those. */
async function exportUsers(db: Queries, scope: StoreScope): Promise<readonly StoreRow[]> {
  const { agent } = scope
  let owned = db
    .selectFrom("statements")
    .innerJoin("users", (join) =>
      join.onRef("users.agent", "=", "statements.agent").onRef("users.user_id", "=", "statements.user_id"),
    )
    .select(["statements.user_id", "users.version", "statements.body"])
    .where("statements.agent", "=", keyText(agent))
  if ("user" in scope) owned = owned.where("statements.user_id", "=", keyText(scope.user))
  if ("conversation" in scope) owned = owned.where("statements.conversation", "=", keyText(scope.conversation))
  const rows = await owned.orderBy("statements.user_id").orderBy("statements.position").execute()
  const users = new Map<string, StoreRow[]>()
  for (const { user_id, version, body } of rows) {
    const user = fromKeyText(user_id)
    const own = users.get(user) ?? [{ table: "user", agent, user, version }]
    own.push({ table: "statement", agent, user, statement: JSON.parse(body) as ProfileStatement })
    users.set(user, own)
  }
  return [...users].sort(([a], [b]) => compareTexts([a], [b])).flatMap(([, own]) => own)
}
