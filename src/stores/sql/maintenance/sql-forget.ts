import type { HistoryMessage } from "../../../core/history.ts"
import type { SessionKey } from "../../../core/keys.ts"
import { stateWithoutWords } from "../../../services/state-without-words.ts"
import type { ForgetReport, StoreScope } from "../../../services/store.ts"
import { keyText, sessionColumns } from "../key-columns.ts"
import { deleteChanges, readState } from "../session/stored-state.ts"
import { lockSession } from "../session/write-session.ts"
import type { SqlJobs } from "../sql-database.ts"
import type { Queries } from "../sql-tables.ts"
import { dropRecalled, forgetMemories } from "./forget-memories.ts"
import { type OwnedSession, ownedKeys, ownedSessions, turnsOf, whereOwned } from "./scope-rows.ts"

/** Deletes what belongs to a scope within a transaction, and what rests on it. */
export async function forgetRows(db: Queries, jobs: SqlJobs, scope: StoreScope): Promise<ForgetReport> {
  const sessions = await ownedSessions(db, scope)
  const owned = ownedKeys(scope, sessions)
  const job = await jobs.forget(db, owned)
  const { memories, vectors } = await forgetMemories(db, owned)
  const receipt = await db.deleteFrom("receipts").where(whereOwned(owned)).executeTakeFirst()
  const report = {
    ...(await forgetSessions(db, sessions, scope)),
    memory: memories.length,
    vector: vectors,
    ...(await forgetUsers(db, scope)),
    receipt: Number(receipt.numDeletedRows),
    job,
  }
  await dropRecalled(db, scope.agent, memories)
  return report
}

/** Deletes sessions, and of groups a user's turns, their notes and all words of their state. */
async function forgetSessions(db: Queries, sessions: readonly OwnedSession[], scope: StoreScope): Promise<ForgetReport> {
  const report = { session: 0, message: 0, note: 0 }
  for (const { key, owns } of sessions) {
    const { version } = await lockSession(db, key)
    if (owns === "whole") {
      report.message += await deleteMessages(db, key)
      report.note += await deleteNotes(db, key)
      await deleteChanges(db, key)
      await db
        .deleteFrom("sessions")
        .where(({ and }) => and(sessionColumns(key)))
        .execute()
      report.session += 1
    } else if ("user" in scope) {
      report.message += await deleteTurns(db, key, scope.user)
      report.note += await deleteNotes(db, key)
      await keepWithoutWords(db, key, version)
    }
  }
  return report
}

async function deleteMessages(db: Queries, key: SessionKey): Promise<number> {
  const deleted = await db
    .deleteFrom("messages")
    .where(({ and }) => and(sessionColumns(key)))
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

async function deleteTurns(db: Queries, key: SessionKey, user: string): Promise<number> {
  const deleted = await db
    .deleteFrom("messages")
    .where(({ and }) => and(sessionColumns(key)))
    .where("turn_id", "in", turnsOf(db, key, user))
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

async function deleteNotes(db: Queries, key: SessionKey): Promise<number> {
  const deleted = await db
    .deleteFrom("notes")
    .where(({ and }) => and(sessionColumns(key)))
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

async function keepWithoutWords(db: Queries, key: SessionKey, version: number): Promise<void> {
  const columns = sessionColumns(key)
  const row = await db
    .selectFrom("sessions")
    .select("whole_state")
    .where(({ and }) => and(columns))
    .executeTakeFirstOrThrow()
  const { state } = await readState(db, key, row.whole_state)
  await deleteChanges(db, key)
  const spoken = await countSpokenAnew(db, key)
  const kept = JSON.stringify(stateWithoutWords(state))
  await db
    .updateTable("sessions")
    .set({ version: version + 1, whole_state: kept, spoken })
    .where(({ and }) => and(columns))
    .execute()
}

/** Each message says how many came before it; the session's sum is handed over. */
async function countSpokenAnew(db: Queries, key: SessionKey): Promise<number> {
  const columns = sessionColumns(key)
  const rows = await db
    .selectFrom("messages")
    .select(["position", "spoken", "body"])
    .where(({ and }) => and(columns))
    .orderBy("position")
    .execute()
  let spoken = 0
  for (const row of rows) {
    if (row.spoken !== spoken)
      await db
        .updateTable("messages")
        .set({ spoken })
        .where(({ and }) => and(columns))
        .where("position", "=", row.position)
        .execute()
    if ((JSON.parse(row.body) as HistoryMessage).text.trim() !== "") spoken += 1
  }
  return spoken
}

/** Deletes what users of the scope said of themselves; a user of whom only a part goes gets a new version. */
async function forgetUsers(db: Queries, scope: StoreScope): Promise<ForgetReport> {
  const agent = keyText(scope.agent)
  if ("conversation" in scope) return forgetWithin(db, agent, keyText(scope.conversation))
  let statements = db.deleteFrom("statements").where("agent", "=", agent)
  let users = db.deleteFrom("users").where("agent", "=", agent)
  if ("user" in scope) {
    statements = statements.where("user_id", "=", keyText(scope.user))
    users = users.where("user_id", "=", keyText(scope.user))
  }
  const statement = Number((await statements.executeTakeFirst()).numDeletedRows)
  return { user: Number((await users.executeTakeFirst()).numDeletedRows), statement }
}

async function forgetWithin(db: Queries, agent: string, conversation: string): Promise<ForgetReport> {
  await db
    .updateTable("users")
    .set(({ eb }) => ({ version: eb("version", "+", 1) }))
    .where("agent", "=", agent)
    .where(
      "user_id",
      "in",
      db.selectFrom("statements").select("user_id").where("agent", "=", agent).where("conversation", "=", conversation),
    )
    .execute()
  const deleted = await db
    .deleteFrom("statements")
    .where("agent", "=", agent)
    .where("conversation", "=", conversation)
    .executeTakeFirst()
  return { user: 0, statement: Number(deleted.numDeletedRows) }
}
