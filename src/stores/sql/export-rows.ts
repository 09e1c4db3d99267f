import type { HistoryMessage } from "../../core/history.ts"
import type { Receipt } from "../../services/store/receipt.ts"
import { byTime, compareReceipts, compareSessions, compareTexts } from "../../services/store/row-keys.ts"
import type { SessionNote } from "../../services/store/session-store.ts"
import type { StoreScope } from "../../services/store/store.ts"
import { ofSession, type StoreRow, vectorToText } from "../../services/store/store-row.ts"
import { exportUsers } from "./export-users.ts"
import { sessionColumns } from "./key-columns.ts"
import { fromKeyText, keyText } from "./key-text.ts"
import { memoryOf } from "./memory-row.ts"
import { type OwnedSession, ownedKeys, ownedSessions, whereOwned } from "./owned-rows.ts"
import { turnsOf } from "./owned-turns.ts"
import { readState } from "./session-state.ts"
import type { OwnedKeys, SqlJobs } from "./sql-database.ts"
import type { Queries } from "./tables.ts"
import { vectorValues } from "./vector-bytes.ts"

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
