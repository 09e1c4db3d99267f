import type { HistoryMessage } from "../../../core/history.ts"
import type { SessionKey } from "../../../core/keys.ts"
import { filterMessages } from "../../../services/filter-messages.ts"
import { freezeParsed } from "../../../services/frozen-json.ts"
import type { MessageFilter, SessionNote, SessionRecord } from "../../../services/session-store.ts"
import { keyText, sessionColumns } from "../key-columns.ts"
import type { Queries } from "../sql-tables.ts"
import type { KnownSession } from "./session-cache.ts"
import { readState } from "./stored-state.ts"
import { sessionVersion } from "./write-session.ts"

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

const pageRows = 500

/** Messages that fit a filter, oldest first. Words are compared here, page by page from the newest, as databases fold case each in its own way. */
export async function findMessages(db: Queries, key: SessionKey, filter: MessageFilter): Promise<readonly HistoryMessage[]> {
  const wanted = Math.max(0, filter.skip ?? 0) + Math.max(0, filter.limit)
  let found: readonly HistoryMessage[] = []
  let before = Number.POSITIVE_INFINITY
  while (found.length < wanted && before > 0) {
    const rows = await candidates(db, key, filter, { before, limit: Math.min(pageRows, filter.containing ? pageRows : wanted) })
    const messages = rows.map(({ body }) => JSON.parse(body) as HistoryMessage).reverse()
    found = [...filterMessages(messages, { ...filter, skip: 0, limit: Number.POSITIVE_INFINITY }), ...found]
    before = rows.at(-1)?.position ?? 0
  }
  return filterMessages(found, filter)
}

/** Newest first, by all that a database compares alike. */
async function candidates(
  db: Queries,
  key: SessionKey,
  { role, speaker, fromMs, beforeMs }: MessageFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly { readonly position: number; readonly body: string }[]> {
  let rows = db
    .selectFrom("messages")
    .select(["position", "body"])
    .where(({ and }) => and(sessionColumns(key)))
  if (Number.isFinite(before)) rows = rows.where("position", "<", before)
  if (role !== undefined) rows = rows.where("role", "=", role)
  if (fromMs !== undefined) rows = rows.where("at_ms", ">=", fromMs)
  if (beforeMs !== undefined) rows = rows.where("at_ms", "<", beforeMs)
  if (speaker !== undefined) {
    const name = keyText(speaker)
    rows = rows.where(({ or, eb }) => or([eb("speaker_id", "=", name), eb("speaker_name", "=", name)]))
  }
  return rows.orderBy("position", "desc").limit(limit).execute()
}
