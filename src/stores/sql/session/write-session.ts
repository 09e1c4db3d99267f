import { type HistoryMessage, isSpoken, type SessionKey } from "../../../core/conversation.ts"
import { frozenJson } from "../../../services/store/frozen-json.ts"
import { sessionRowId } from "../../../services/store/row-keys.ts"
import { type SessionCommit, type SessionNote, sessionConflict } from "../../../services/store/session-store.ts"
import { having, inSession, keyNames, keyText, sessionColumns } from "../key-columns.ts"
import { prepared } from "../prepared.ts"
import { bodyText } from "../row-body.ts"
import type { Queries, SessionColumns, Tables } from "../sql-tables.ts"
import { sessionVersion, withAppended } from "./read-session.ts"
import { endBehind } from "./session-branches.ts"
import { type CachedSession, withMessages } from "./session-cache.ts"
import { writeState } from "./stored-state.ts"

/** A turn as a transaction writes it: plain JSON, with the session as this process last saw it. */
interface TurnToWrite extends Omit<SessionCommit, "jobs"> {
  readonly cached: CachedSession | undefined
}

/**
 * Writes a turn within a transaction, apart from its jobs. Returns the new version, and the whole session when this process knows it.
 * Throws `session-conflict`.
 */
export async function commitSession(db: Queries, key: SessionKey, turn: TurnToWrite) {
  const { expectVersion, state, taken = [] } = turn
  const found = await lockSession(db, key)
  if (found.version !== expectVersion) throw sessionConflict(key, expectVersion, found.version)
  // Read under the lock: a session that was deleted meanwhile and begun anew has another epoch.
  const { epoch } = (await sessionVersion(db, key)) ?? { epoch: 0 }
  const { spoken, hasMoved, heard } =
    turn.after === undefined
      ? { ...found, hasMoved: false, heard: [] }
      : await endBehind(db, key, { commit: turn, spoken: found.spoken })
  const append = heard.length === 0 ? turn.append : [...turn.append, ...heard]
  // A history that ends elsewhere is read anew.
  const before = hasMoved ? undefined : await sessionBefore(db, key, { cached: turn.cached, found, epoch })
  const added = await insertMessages(db, key, { messages: append, position: found.next_position, spoken })
  const version = found.version + 1
  const { whole, size } = await writeState(db, key, { state, version, before })
  const nextPosition = found.next_position + append.length
  const row = { ...sessionColumns(key), version, next_position: nextPosition, spoken: added.spoken }
  if (whole.whole_state === undefined) await updateSession(db, row)
  else await updateWhole(db, { ...row, whole_state: whole.whole_state })
  if (taken.length > 0)
    await db.updateTable("notes").set({ body: null }).where(inSession(key)).where("id", "in", taken.map(keyText)).execute()
  const session = before && withMessages({ ...before, version, epoch, nextPosition, state, size }, append, added.characters)
  return { version, hasMoved, session }
}

/** The session before the turn: from the cache if that is current, empty for a new session, else undefined. */
async function sessionBefore(
  db: Queries,
  key: SessionKey,
  known: { readonly cached: CachedSession | undefined; readonly found: LockedSession; readonly epoch: number },
): Promise<CachedSession | undefined> {
  const { cached, found, epoch } = known
  if (cached !== undefined && cached.version === found.version && cached.epoch === epoch)
    return withAppended(db, key, cached, found.next_position)
  if (found.version > 0 || found.next_position > 0) return undefined
  const nothing = { version: 0, nextPosition: 0, history: [], spoken: 0, asked: 0, state: {}, historyCharacters: 0 }
  return { ...nothing, epoch, isWhole: true, size: { whole: 2, changes: 0 } }
}

/** Messages that were said outside of a turn, of one session. */
export interface AppendedMessages {
  readonly key: SessionKey
  readonly messages: readonly HistoryMessage[]
}

/** Adds messages to several sessions within a transaction. Sessions are locked in one order, so that two processes never wait for each other. */
export async function appendMessages(db: Queries, appended: readonly AppendedMessages[]): Promise<void> {
  const bySession = [...Map.groupBy(appended, ({ key }) => sessionRowId(key))].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [, ofSession] of bySession) {
    const [{ key }] = ofSession as [AppendedMessages]
    const added = ofSession.flatMap(({ messages }) => messages)
    const { next_position: position, spoken } = await lockSession(db, key)
    const counts = await insertMessages(db, key, { messages: added, position, spoken })
    const next = { next_position: position + added.length, spoken: counts.spoken }
    await db.updateTable("sessions").set(next).where(inSession(key)).execute()
  }
}

/** Posts a note within a transaction. False when its id is known, also when that note was taken. */
export async function postNote(db: Queries, key: SessionKey, note: SessionNote): Promise<boolean> {
  const body = bodyText(frozenJson(note, "note"))
  const { notes } = await lockSession(db, key)
  const isNew = await insertNote(db, key, { id: note.id, owner: note.owner, position: notes, body })
  const counted = { notes: notes + 1 }
  if (isNew) await db.updateTable("sessions").set(counted).where(inSession(key)).execute()
  return isNew
}

/** Adds a note; false when its id is known. `body` is null for one that was taken. */
export async function insertNote(
  db: Queries,
  key: SessionKey,
  note: { readonly id: string; readonly owner: string; readonly position: number; readonly body: string | null },
): Promise<boolean> {
  const added = await db
    .insertInto("notes")
    .values({ ...sessionColumns(key), ...note, id: keyText(note.id), owner: keyText(note.owner) })
    .onConflict((conflict) => conflict.columns(["agent", "conversation", "audience", "id"]).doNothing())
    .returning("id")
    .executeTakeFirst()
  return added !== undefined
}

/** Adds messages from `position` on. Returns the session's new count of messages that are not blank, and the length of the added JSON. */
export async function insertMessages(
  db: Queries,
  key: SessionKey,
  added: { readonly messages: readonly HistoryMessage[]; readonly position: number; readonly spoken: number },
) {
  let { spoken, position } = added
  let characters = 0
  for (const message of added.messages) {
    const row = messageRow(key, message, position)
    await insertMessage(db, { ...row, spoken })
    characters += row.body.length
    position += 1
    if (isSpoken(message)) spoken += 1
  }
  return { spoken, characters }
}

/** A message as a row, without the column that only its table has. */
export function messageRow(key: SessionKey, message: HistoryMessage, position: number) {
  const { role, turnId, speaker, atMs } = message
  const who = { turn_id: keyText(turnId), role, speaker_id: keyText(speaker.id), speaker_name: keyText(speaker.name) }
  return { ...sessionColumns(key), ...who, position, at_ms: atMs, body: bodyText(message) }
}

interface LockedSession {
  readonly version: number
  /** The position of the next message. */
  readonly next_position: number
  readonly spoken: number
  /** The position of the next note. */
  readonly notes: number
}

/** Locks a session's row until the transaction ends, and makes the row when it is missing. */
export async function lockSession(db: Queries, key: SessionKey): Promise<LockedSession> {
  const [row] = await lockOrMake(db, sessionColumns(key))
  return row as LockedSession
}

const lockOrMake = prepared(keyNames, (db, key: SessionColumns) =>
  db
    .insertInto("sessions")
    .values({ ...key, version: 0, whole_state: "{}", next_position: 0, spoken: 0, notes: 0 })
    .onConflict((conflict) => conflict.columns(keyNames).doUpdateSet(({ ref }) => ({ version: ref("sessions.version") })))
    .returning(["version", "next_position", "spoken", "notes"]),
)

const counts = ["version", "next_position", "spoken"] as const

type Counted = SessionColumns & Pick<Tables["sessions"], (typeof counts)[number]>

const updateSession = prepared([...keyNames, ...counts], (db, { version, next_position, spoken, ...key }: Counted) =>
  db.updateTable("sessions").set({ version, next_position, spoken }).where(having(key)),
)

const updateWhole = prepared(
  [...keyNames, ...counts, "whole_state"],
  (db, { version, next_position, spoken, whole_state, ...key }: Counted & Pick<Tables["sessions"], "whole_state">) =>
    db.updateTable("sessions").set({ version, next_position, spoken, whole_state }).where(having(key)),
)

const ofMessage = ["turn_id", "role", "speaker_id", "speaker_name", "position", "at_ms", "body", "spoken"] as const

const insertMessage = prepared([...keyNames, ...ofMessage], (db, row: Tables["messages"]) =>
  db.insertInto("messages").values(row),
)
