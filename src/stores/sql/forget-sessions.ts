import type { HistoryMessage } from "../../core/history.ts"
import type { SessionKey } from "../../core/keys.ts"
import { stateWithoutWords } from "../../services/store/session-store.ts"
import type { ForgetReport, StoreScope } from "../../services/store/store.ts"
import { sessionColumns } from "./key-columns.ts"
import type { OwnedSession } from "./owned-rows.ts"
import { turnsOf } from "./owned-turns.ts"
import { lockSession } from "./session-row.ts"
import { deleteChanges, readState } from "./session-state.ts"
import type { Queries } from "./tables.ts"

/** Deletes sessions, and of groups a user's turns, their notes and all words of their state. */
export async function forgetSessions(db: Queries, sessions: readonly OwnedSession[], scope: StoreScope): Promise<ForgetReport> {
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
