import type { HistoryMessage, SessionKey } from "../../../../core/conversation.ts"
import { freezeParsed } from "../../../../memory/services/store/frozen-json.ts"
import { keyText, type SessionColumns, sessionOf } from "../../../../memory/services/store/rows/row-tables.ts"
import type { Rows } from "../../../../memory/services/store/rows/rows.ts"
import { filterMessages, type MessageFilter, type SessionNote } from "../../../../memory/services/store/session-store.ts"
import { prepared } from "../prepared.ts"
import { readBody } from "../row-body.ts"
import { having, inSession, keyNames, type Queries, sessionColumns } from "../sql-database.ts"
import { type CachedSession, withMessages } from "./session-cache.ts"
import { currentState } from "./stored-state.ts"

/** A transaction: its statements, and its tables as all stores have them. */
interface ReadTransaction {
  readonly db: Queries
  readonly rows: Rows
}

/**
 * Reads a session with its newest `last` messages at least, or all, and its waiting notes. Takes them from `cached` when that
 * is current; when messages were only appended since, reads these. Undefined before the first commit, unless a note waits.
 */
export async function findSession(
  { db, rows }: ReadTransaction,
  key: SessionKey,
  { cached, last = Number.POSITIVE_INFINITY }: { readonly cached: CachedSession | undefined; readonly last: number | undefined },
): Promise<{ readonly session: CachedSession; readonly notes: readonly SessionNote[] } | undefined> {
  const found = await sessionVersion(db, key)
  if (found === undefined) return undefined
  const { version, epoch, nextPosition } = found
  const isKnown = cached?.version === version && cached.epoch === epoch && (cached.isWhole || cached.history.length >= last)
  if (cached !== undefined && isKnown) {
    const session = await withAppended(db, key, { ...cached, asked: Math.max(cached.asked, last) }, nextPosition)
    return { session, notes: await waitingNotes(rows, key) }
  }
  const read = await loadSession({ db, rows }, key, last)
  if (read === undefined) return undefined
  const { notes, ...session } = read
  return { session: { ...session, epoch, asked: last, isWhole: session.history.length < last }, notes }
}

/**
 * The cached session, if it is current, has the newest `last` messages, and no note waits: what one statement tells of the usual turn.
 * Otherwise undefined, and {@link findSession} reads what is missing.
 */
export async function currentSession(
  db: Queries,
  key: SessionKey,
  cached: CachedSession,
  last = Number.POSITIVE_INFINITY,
): Promise<CachedSession | undefined> {
  const found = await sessionVersion(db, key)
  if (found === undefined || found.isNoteWaiting) return undefined
  const { version, nextPosition, epoch } = found
  const isCurrent = version === cached.version && epoch === cached.epoch && nextPosition === cached.nextPosition
  if (!isCurrent || !(cached.isWhole || cached.history.length >= last)) return undefined
  return { ...cached, asked: Math.max(cached.asked, last) }
}

/** The cached session with the messages that were appended since, up to the position `end`. */
export async function withAppended(db: Queries, key: SessionKey, cached: CachedSession, end: number): Promise<CachedSession> {
  if (cached.nextPosition === end) return cached
  const rows = db.selectFrom("messages").select(["position", "body"]).where(inSession(key))
  const appended = await rows.where("position", ">=", cached.nextPosition).orderBy("position").execute()
  const characters = appended.reduce((sum, { body }) => sum + body.length, 0)
  const messages = appended.map((row) => freezeParsed(readMessage(key, row)))
  return withMessages({ ...cached, nextPosition: end }, messages, characters)
}

/** Reads a session with its newest `last` messages. Undefined before the first commit, unless a note waits. */
async function loadSession({ db, rows }: ReadTransaction, key: SessionKey, last: number) {
  const found = db.selectFrom("sessions").select(["version", "whole_state", "next_position", "spoken"]).where(inSession(key))
  const row = await found.executeTakeFirst()
  if (row === undefined) return undefined
  const notes = await waitingNotes(rows, key)
  if (row.version === 0 && notes.length === 0 && row.next_position === 0) return undefined
  const newest = db.selectFrom("messages").select(["position", "body"]).where(inSession(key)).orderBy("position", "desc")
  const messages = (await (Number.isFinite(last) ? newest.limit(Math.max(0, last)) : newest).execute()).reverse()
  const { state, size } = await currentState(db, key, row.whole_state)
  return {
    version: row.version,
    nextPosition: row.next_position,
    history: messages.map((row) => freezeParsed(readMessage(key, row))),
    spoken: row.spoken,
    state: freezeParsed(state),
    notes,
    historyCharacters: messages.reduce((sum, { body }) => sum + body.length, 0),
    size,
  }
}

/** The version of a session, the position of its next message, the epoch of its agent, and if a note waits; undefined for a session that does not exist. */
export async function sessionVersion(db: Queries, key: SessionKey) {
  const [row] = (await selectVersion(db, sessionColumns(key))).rows
  if (row === undefined) return undefined
  const isNoteWaiting = row.waits === true || row.waits === 1
  return { version: row.version, nextPosition: row.next_position, epoch: row.epoch ?? 0, isNoteWaiting }
}

/** The agent's epoch as a part of a statement. It is null while the agent has no memories and nothing was deleted. */
export function epochOf(db: Pick<Queries, "selectFrom">, { agent }: Pick<SessionColumns, "agent">) {
  const own = db.selectFrom("memory_scopes").select("last_deletion as epoch")
  return own.where("agent", "=", agent).where("scope", "=", "")
}

const selectVersion = prepared(keyNames, (db, key: SessionColumns) =>
  db
    .selectFrom("sessions")
    .select(["version", "next_position", epochOf(db, key).as("epoch")])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom("notes").select("id").where(having(key)).where("body", "is not", null)).as("waits"),
    )
    .where(having(key)),
)

async function waitingNotes(rows: Rows, key: SessionKey): Promise<readonly SessionNote[]> {
  const own = { columns: ["body"], order: ["position"] } as const
  const waiting = await rows.select("notes", { ...sessionOf(key), body: { isNot: null } }, own)
  return Object.freeze(waiting.flatMap(({ body }) => (body === null ? [] : freezeParsed(body))))
}

/** The message of a row of the history. */
function readMessage(key: SessionKey, row: { readonly position: number; readonly body: string }): HistoryMessage {
  const columns = { ...sessionColumns(key), position: row.position }
  return readBody<HistoryMessage>(row.body, { table: "messages", columns })
}

const pageRows = 500

/**
 * The messages that fit a filter, oldest first. Words are compared here, page by page from the newest message, because databases
 * differ in how they fold case.
 */
export async function findMessages(db: Queries, key: SessionKey, filter: MessageFilter): Promise<readonly HistoryMessage[]> {
  const wanted = Math.max(0, filter.skip ?? 0) + Math.max(0, filter.limit)
  const limit = filter.containing ? pageRows : Math.min(pageRows, wanted)
  let found: readonly HistoryMessage[] = []
  let before = Number.POSITIVE_INFINITY
  while (found.length < wanted && before > 0) {
    const rows = await candidates(db, key, filter, before, limit)
    const messages = rows.map((row) => readMessage(key, row)).reverse()
    found = [...filterMessages(messages, { ...filter, skip: 0, limit: Number.POSITIVE_INFINITY }), ...found]
    before = rows.at(-1)?.position ?? 0
  }
  return filterMessages(found, filter)
}

/** The newest messages before a position that meet the criteria which every database compares alike, newest first. */
async function candidates(db: Queries, key: SessionKey, filter: MessageFilter, before: number, limit: number) {
  const { role, speaker, fromMs, beforeMs } = filter
  let rows = db.selectFrom("messages").select(["position", "body"]).where(inSession(key))
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
