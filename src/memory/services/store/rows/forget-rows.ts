import type { SessionKey } from "../../../../core/conversation.ts"
import type { ForgetReport, StoreScope } from "../store.ts"
import { stateWithoutWords } from "../waiting-turn.ts"
import { dropBlobs, dropUnheld } from "./blob-records.ts"
import { dropRecalled, forgetMemories } from "./forget-memories.ts"
import { type OwnedSession, ownedKeys, ownedSessions, spokenTurns, whereOwned } from "./owned-rows.ts"
import { messageTables, sessionOf } from "./row-tables.ts"
import { type Conditions, inPages, type Rows, valuesOf } from "./rows.ts"
import { linkWithout, lockSession, recountSpoken } from "./session-rows.ts"

/** Deletes everything that belongs to a scope within a transaction, and everything that rests on it. */
export async function forgetRows(rows: Rows, scope: StoreScope): Promise<ForgetReport> {
  const sessions = await ownedSessions(rows, scope)
  const owned = ownedKeys(scope, sessions)
  const { memories, vectors } = await forgetMemories(rows, scope.agent, whereOwned(owned))
  const users = await forgetUsers(rows, scope)
  const receipt = await rows.delete("receipts", whereOwned(owned))
  const forgotten = await forgetSessions(rows, sessions, scope)
  await dropRecalled(rows, scope.agent, memories)
  await dropUnheld(rows, scope.agent)
  // Last, as in a commit: docs/stores.md has the order of locks.
  const job = await rows.jobs.forget(owned)
  return { ...forgotten, memory: memories.length, vector: vectors, ...users, receipt, job }
}

/** Deletes whole sessions. In a user's groups it deletes the user's turns, all notes, and all words of the state. */
async function forgetSessions(rows: Rows, sessions: readonly OwnedSession[], scope: StoreScope): Promise<ForgetReport> {
  const report = { session: 0, message: 0, note: 0, blob: 0 }
  for (const { key, owns } of sessions) {
    const { version } = await lockSession(rows, key)
    report.message += await forgetMessages(rows, key, owns === "part" && "user" in scope ? scope.user : undefined)
    report.note += await rows.delete("notes", sessionOf(key))
    report.blob += await dropBlobs(rows, key)
    if (owns === "whole") {
      // A database keeps changes of the state, which have to go before their session.
      await rows.writeState(key, {})
      report.session += await rows.delete("sessions", sessionOf(key))
    } else {
      await rows.writeState(key, stateWithoutWords(await rows.readState(key)))
      const spoken = await recountSpoken(rows, key)
      await rows.update("sessions", sessionOf(key), { version: version + 1, spoken })
    }
  }
  return report
}

/** Deletes messages of a session, also those that are set aside: those of a user's turns, or all. */
async function forgetMessages(rows: Rows, key: SessionKey, user: string | undefined): Promise<number> {
  const turns = user === undefined ? undefined : await spokenTurns(rows, key, user)
  if (turns) await linkWithout(rows, key, ({ turnId }) => turns.has(turnId))
  let count = 0
  for (const table of messageTables)
    if (turns === undefined) count += await rows.delete(table, sessionOf(key))
    else for (const page of inPages(turns)) count += await rows.delete(table, { ...sessionOf(key), turn_id: { in: page } })
  return count
}

/** Deletes the users and statements of a scope. A user of whom only a part is deleted gets a new version. */
async function forgetUsers(rows: Rows, scope: StoreScope): Promise<ForgetReport> {
  const { agent } = scope
  if ("conversation" in scope)
    return { user: 0, statement: await forgetStatements(rows, [{ agent, conversation: scope.conversation }]) }
  const owned = { agent, user_id: "user" in scope ? scope.user : undefined }
  const statement = await rows.delete("statements", owned)
  return { user: await rows.delete("users", owned), statement }
}

/** Deletes the statements that meet one of the conditions, which name one agent, and gives their users a new version. */
export async function forgetStatements(rows: Rows, where: readonly Conditions<"statements">[]): Promise<number> {
  const [agent] = where.map((conditions) => conditions.agent)
  if (agent !== undefined)
    await rows.raiseVersion("users", { agent, user_id: { within: valuesOf("statements", "user_id", where) } })
  return rows.delete("statements", where)
}
