import type { Expression, ExpressionBuilder, SqlBool } from "kysely"
import { isSpoken, type SessionKey } from "../../../../core/conversation.ts"
import type { ForgetReport, StoreScope } from "../../../../memory/services/store/store.ts"
import { stateWithoutWords } from "../../../../memory/services/store/waiting-turn.ts"
import { having, inSession, keyText } from "../key-columns.ts"
import { bodyText } from "../row-body.ts"
import { readMessage } from "../session/read-session.ts"
import { linkWithout } from "../session/session-branches.ts"
import { deleteChanges, readState } from "../session/stored-state.ts"
import { lockSession } from "../session/write-session.ts"
import { dropBlobs, dropUnheld } from "../sql-blob-records.ts"
import type { SqlJobs } from "../sql-database.ts"
import { messageTables, type Queries, type Tables } from "../sql-tables.ts"
import { dropRecalled, forgetMemories } from "./forget-memories.ts"
import { type OwnedSession, ownedKeys, ownedSessions, spokenTurns, turnsOf, whereOwned } from "./scope-rows.ts"

/** Deletes everything that belongs to a scope within a transaction, and everything that rests on it. */
export async function forgetRows(db: Queries, jobs: SqlJobs, scope: StoreScope): Promise<ForgetReport> {
  const sessions = await ownedSessions(db, scope)
  const owned = ownedKeys(scope, sessions)
  const { memories, vectors } = await forgetMemories(db, scope.agent, whereOwned(owned))
  const users = await forgetUsers(db, scope)
  const receipt = await countDeleted(db.deleteFrom("receipts").where(whereOwned(owned)))
  const forgotten = await forgetSessions(db, sessions, scope)
  const report = { ...forgotten, memory: memories.length, vector: vectors, ...users, receipt }
  await dropRecalled(db, scope.agent, memories)
  await dropUnheld(db, scope.agent)
  // Last, as in a commit: docs/stores.md has the order of locks.
  return { ...report, job: await jobs.forget(db, owned) }
}

async function countDeleted(statement: { executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }> }): Promise<number> {
  return Number((await statement.executeTakeFirst()).numDeletedRows)
}

/** Deletes whole sessions. In a user's groups it deletes the user's turns, all notes, and all words of the state. */
async function forgetSessions(db: Queries, sessions: readonly OwnedSession[], scope: StoreScope): Promise<ForgetReport> {
  const report = { session: 0, message: 0, note: 0, blob: 0 }
  for (const { key, owns } of sessions) {
    const { version } = await lockSession(db, key)
    report.message += await forgetMessages(db, key, owns === "part" && "user" in scope ? scope.user : undefined)
    report.note += await countDeleted(db.deleteFrom("notes").where(inSession(key)))
    report.blob += await dropBlobs(db, key)
    if (owns === "whole") {
      await deleteChanges(db, key)
      report.session += await countDeleted(db.deleteFrom("sessions").where(inSession(key)))
    } else await keepWithoutWords(db, key, version)
  }
  return report
}

/** Deletes messages of a session, also those that are set aside: those of a user's turns, or all. */
async function forgetMessages(db: Queries, key: SessionKey, user: string | undefined): Promise<number> {
  if (user !== undefined) {
    const turns = await spokenTurns(db, key, user)
    await linkWithout(db, key, ({ turnId }) => turns.has(turnId))
  }
  let count = 0
  for (const table of messageTables) {
    const messages = db.deleteFrom(table).where(inSession(key))
    count += await countDeleted(user === undefined ? messages : messages.where("turn_id", "in", turnsOf(db, table, key, user)))
  }
  return count
}

async function keepWithoutWords(db: Queries, key: SessionKey, version: number): Promise<void> {
  const row = await db.selectFrom("sessions").select("whole_state").where(inSession(key)).executeTakeFirstOrThrow()
  const { state } = await readState(db, key, row.whole_state)
  await deleteChanges(db, key)
  const whole_state = bodyText(stateWithoutWords(state))
  const kept = { version: version + 1, whole_state, spoken: await recountSpoken(db, key) }
  await db.updateTable("sessions").set(kept).where(inSession(key)).execute()
}

/** Corrects the count of spoken messages before each message, and returns the session's total. */
export async function recountSpoken(db: Queries, key: SessionKey): Promise<number> {
  const all = db.selectFrom("messages").select(["position", "spoken", "body"]).where(inSession(key))
  let spoken = 0
  for (const row of await all.orderBy("position").execute()) {
    if (row.spoken !== spoken)
      await db.updateTable("messages").set({ spoken }).where(inSession(key)).where("position", "=", row.position).execute()
    if (isSpoken(readMessage(key, row))) spoken += 1
  }
  return spoken
}

/** Deletes the users and statements of a scope. A user of whom only a part is deleted gets a new version. */
async function forgetUsers(db: Queries, scope: StoreScope): Promise<ForgetReport> {
  const agent = keyText(scope.agent)
  if ("conversation" in scope)
    return forgetStatements(db, scope.agent, having({ agent, conversation: keyText(scope.conversation) }))
  let statements = db.deleteFrom("statements").where("agent", "=", agent)
  let users = db.deleteFrom("users").where("agent", "=", agent)
  if ("user" in scope) {
    statements = statements.where("user_id", "=", keyText(scope.user))
    users = users.where("user_id", "=", keyText(scope.user))
  }
  const statement = await countDeleted(statements)
  return { user: await countDeleted(users), statement }
}

/** Deletes the statements that meet a condition, and gives their users a new version. */
export async function forgetStatements(
  db: Queries,
  agent: string,
  where: (eb: ExpressionBuilder<Tables, "statements">) => Expression<SqlBool>,
): Promise<ForgetReport> {
  const speakers = db.selectFrom("statements").select("user_id").where(where)
  await db
    .updateTable("users")
    .set(({ eb }) => ({ version: eb("version", "+", 1) }))
    .where("agent", "=", keyText(agent))
    .where("user_id", "in", speakers)
    .execute()
  return { user: 0, statement: await countDeleted(db.deleteFrom("statements").where(where)) }
}
