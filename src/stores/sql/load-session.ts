import type { HistoryMessage } from "../../core/history.ts"
import type { SessionKey } from "../../core/keys.ts"
import type { SessionNote, SessionRecord } from "../../services/session-store.ts"
import { sessionColumns } from "./key-columns.ts"
import type { Queries } from "./tables.ts"

/** A session with its newest `last` messages, or all of them. Undefined before its first commit, unless a note waits for it. */
export async function loadSession(db: Queries, key: SessionKey, last?: number): Promise<SessionRecord | undefined> {
  const columns = sessionColumns(key)
  const session = await db
    .selectFrom("sessions")
    .select(["version", "state", "spoken"])
    .where(({ and }) => and(columns))
    .executeTakeFirst()
  if (session === undefined) return undefined
  const notes = await waitingNotes(db, key)
  if (session.version === 0 && notes.length === 0) return undefined
  const newest = db
    .selectFrom("messages")
    .select(["spoken", "body"])
    .where(({ and }) => and(columns))
    .orderBy("position", "desc")
  const rows = await (last === undefined ? newest : newest.limit(Math.max(0, last))).execute()
  rows.reverse()
  return {
    version: session.version,
    history: rows.map(({ body }) => JSON.parse(body) as HistoryMessage),
    earlier: rows[0]?.spoken ?? session.spoken,
    state: JSON.parse(session.state) as SessionRecord["state"],
    notes,
  }
}

async function waitingNotes(db: Queries, key: SessionKey): Promise<readonly SessionNote[]> {
  const rows = await db
    .selectFrom("notes")
    .select("body")
    .where(({ and }) => and(sessionColumns(key)))
    .where("body", "is not", null)
    .orderBy("position")
    .execute()
  return rows.map(({ body }) => JSON.parse(body ?? "null") as SessionNote)
}
