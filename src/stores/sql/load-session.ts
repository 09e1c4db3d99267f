import type { HistoryMessage } from "../../core/history.ts"
import type { SessionKey } from "../../core/keys.ts"
import { freezeParsed } from "../../services/store/frozen-json.ts"
import type { SessionNote, SessionRecord } from "../../services/store/session-store.ts"
import { sessionColumns } from "./key-columns.ts"
import type { KnownSession } from "./session-cache.ts"
import { sessionVersion } from "./session-row.ts"
import { readState } from "./session-state.ts"
import type { Queries } from "./tables.ts"

/** What a transaction finds of a session, and the notes that wait for it. */
interface FoundSession {
  readonly session: KnownSession
  readonly notes: readonly SessionNote[]
}

/** A whole session, frozen; `known` itself where that is as the database has it. Undefined before its first commit, unless a note waits for it. */
export async function findSession(
  db: Queries,
  key: SessionKey,
  known: KnownSession | undefined,
): Promise<FoundSession | undefined> {
  const found = await sessionVersion(db, key)
  if (found === undefined) return undefined
  const { version, epoch } = found
  if (known !== undefined && known.version === version && known.epoch === epoch)
    return { session: known, notes: await waitingNotes(db, key) }
  const read = await loadSession(db, key)
  if (read === undefined) return undefined
  const { notes, earlier: _, ...session } = read
  return { session: { ...session, epoch }, notes }
}

/** A session with its newest `last` messages, or all of them, frozen. Undefined before its first commit, unless a note waits for it. */
export async function loadSession(
  db: Queries,
  key: SessionKey,
  last?: number,
): Promise<(SessionRecord & Pick<KnownSession, "historyCharacters" | "size">) | undefined> {
  const columns = sessionColumns(key)
  const session = await db
    .selectFrom("sessions")
    .select(["version", "whole_state", "spoken"])
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
  const { state, size } = await readState(db, key, session.whole_state)
  return {
    version: session.version,
    history: Object.freeze(rows.map(({ body }) => freezeParsed(JSON.parse(body) as HistoryMessage))),
    earlier: rows[0]?.spoken ?? session.spoken,
    state: freezeParsed(state),
    notes,
    historyCharacters: rows.reduce((sum, { body }) => sum + body.length, 0),
    size,
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
  return Object.freeze(rows.map(({ body }) => freezeParsed(JSON.parse(body ?? "null") as SessionNote)))
}
