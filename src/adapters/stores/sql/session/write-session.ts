import { type HistoryMessage, type SessionKey, spokenOf } from "../../../../core/conversation.ts"
import { frozenJson } from "../../../../memory/services/store/frozen-json.ts"
import {
  historyRows,
  type LockedRow,
  type SessionColumns,
  sessionOf,
  sessionRowId,
} from "../../../../memory/services/store/rows/row-tables.ts"
import type { Rows } from "../../../../memory/services/store/rows/rows.ts"
import { endBehind, lockSession } from "../../../../memory/services/store/rows/session-rows.ts"
import { type SessionCommit, type SessionNote, sessionConflict } from "../../../../memory/services/store/session-store.ts"
import { prepared } from "../prepared.ts"
import { storedBody } from "../row-body.ts"
import { having, inSession, keyNames, type Queries, sessionColumns, type Tables } from "../sql-database.ts"
import { epochOf, sessionVersion, withAppended } from "./read-session.ts"
import { type CachedSession, withMessages } from "./session-cache.ts"
import { type StateSize, stateRows, writeChanges, writeState } from "./stored-state.ts"

/** A turn as a transaction writes it: plain JSON, with the session as this process last saw it. */
interface TurnToWrite extends Omit<SessionCommit, "jobs"> {
  /** The tables in the same transaction. */
  readonly rows: Rows
  readonly cached: CachedSession | undefined
}

/**
 * Writes a turn within a transaction, apart from its jobs. Returns the new version, and the whole session when this process knows it.
 * Throws `session-conflict`.
 */
export async function commitSession(db: Queries, key: SessionKey, turn: TurnToWrite) {
  const { rows, expectVersion, state, taken = [] } = turn
  const { before, append, position, spoken, size, hasMoved } =
    (await setRowAsSeen(db, key, turn)) ?? (await setLockedRow(db, key, turn))
  const added = await insertMessages(rows, key, { messages: append, position, spoken })
  if (taken.length > 0) await rows.update("notes", { ...sessionOf(key), id: { in: taken } }, { body: null })
  const version = expectVersion + 1
  const after = before && { ...before, version, nextPosition: position + append.length, state, size }
  return { version, hasMoved, session: after && withMessages(after, append, added.characters) }
}

/** A session whose row and state are as a turn leaves them, and the messages that are still to be written. */
interface SetRow {
  /** The session before the turn, in its present epoch; undefined when this process does not know it. */
  readonly before: CachedSession | undefined
  /** The messages to add from `position` on, behind so many that are not blank. */
  readonly append: readonly HistoryMessage[]
  readonly position: number
  readonly spoken: number
  readonly size: StateSize
  readonly hasMoved: boolean
}

const nothing: CachedSession = {
  ...{ version: 0, epoch: 0, nextPosition: 0, history: [], spoken: 0, isWhole: true, asked: 0 },
  ...{ state: {}, historyCharacters: 0, size: { whole: 2, changes: 0 } },
}

/**
 * Sets the row of a session that is as this process last saw it, in one statement, which looks, locks and writes. Undefined for any
 * other session: then nothing is written.
 */
async function setRowAsSeen(db: Queries, key: SessionKey, turn: TurnToWrite): Promise<SetRow | undefined> {
  const { expectVersion, append, after, cached } = turn
  if (after !== undefined || expectVersion !== (cached?.version ?? 0)) return undefined
  if (cached === undefined) return makeRow(db, key, turn)
  const { nextPosition: position, spoken, epoch } = cached
  const { size, ...state } = stateRows(turn.state, cached)
  const { whole_state } = state.whole
  const seen = { seen_version: expectVersion, seen_position: position, seen_spoken: spoken, seen_epoch: epoch }
  const row = { ...sessionColumns(key), ...countsAfter(turn, position, spoken), ...seen }
  const written = whole_state === undefined ? updateSeen(db, row) : updateSeenWhole(db, { ...row, whole_state })
  if ((await written).numAffectedRows === 0n) return undefined
  await writeChanges(db, key, { ...state, version: row.version })
  return { before: cached, append, position, spoken, size, hasMoved: false }
}

/** Makes the row of a session as its first turn leaves it. Undefined if it is there already. */
async function makeRow(db: Queries, key: SessionKey, turn: TurnToWrite): Promise<SetRow | undefined> {
  const whole_state = storedBody(turn.state)
  const { rows } = await insertRow(db, { ...sessionColumns(key), ...countsAfter(turn, 0, 0), whole_state })
  const [made] = rows
  if (made === undefined) return undefined
  const before = { ...nothing, epoch: made.epoch ?? 0 }
  return { before, append: turn.append, position: 0, spoken: 0, size: { whole: whole_state.length, changes: 0 }, hasMoved: false }
}

/** Locks a session's row, so that it can be looked at, and sets it. Throws `session-conflict`. */
async function setLockedRow(db: Queries, key: SessionKey, turn: TurnToWrite): Promise<SetRow> {
  const { expectVersion, rows, cached } = turn
  const found = await lockSession(rows, key)
  if (found.version !== expectVersion) throw sessionConflict(key, expectVersion, found.version)
  // Read under the lock: a session that was deleted meanwhile and begun anew has another epoch.
  const { epoch } = (await sessionVersion(db, key)) ?? { epoch: 0 }
  const position = found.next_position
  const { spoken, hasMoved, heard } =
    turn.after === undefined
      ? { ...found, hasMoved: false, heard: [] }
      : await endBehind(rows, key, { commit: turn, spoken: found.spoken })
  const append = heard.length === 0 ? turn.append : [...turn.append, ...heard]
  // A history that ends elsewhere is read anew.
  const before = hasMoved ? undefined : await sessionBefore(db, key, { cached, found, epoch })
  const counts = countsAfter({ expectVersion, append }, position, spoken)
  const { whole, size } = await writeState(db, key, { state: turn.state, version: counts.version, before })
  await db
    .updateTable("sessions")
    .set({ ...counts, ...whole })
    .where(inSession(key))
    .execute()
  return { before, append, position, spoken, size, hasMoved }
}

/** The counts of a session's row after a turn. */
function countsAfter({ expectVersion, append }: Pick<TurnToWrite, "expectVersion" | "append">, position: number, spoken: number) {
  return { version: expectVersion + 1, next_position: position + append.length, spoken: spoken + spokenOf(append).length }
}

/** The session before the turn: from the cache if that is current, empty for a new session, else undefined. */
async function sessionBefore(
  db: Queries,
  key: SessionKey,
  known: { readonly cached: CachedSession | undefined; readonly found: LockedRow<"sessions">; readonly epoch: number },
): Promise<CachedSession | undefined> {
  const { cached, found, epoch } = known
  if (cached !== undefined && cached.version === found.version && cached.epoch === epoch)
    return withAppended(db, key, cached, found.next_position)
  return found.version > 0 || found.next_position > 0 ? undefined : { ...nothing, epoch }
}

/** Messages that were said outside of a turn, of one session. */
export interface AppendedMessages {
  readonly key: SessionKey
  readonly messages: readonly HistoryMessage[]
}

/** Adds messages to several sessions within a transaction. Sessions are locked in one order, so that two processes never wait for each other. */
export async function appendMessages(rows: Rows, appended: readonly AppendedMessages[]): Promise<void> {
  const bySession = [...Map.groupBy(appended, ({ key }) => sessionRowId(key))].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [, ofSession] of bySession) {
    const [{ key }] = ofSession as [AppendedMessages]
    const added = ofSession.flatMap(({ messages }) => messages)
    const { next_position: position, spoken } = await lockSession(rows, key)
    const counts = await insertMessages(rows, key, { messages: added, position, spoken })
    await rows.update("sessions", sessionOf(key), { next_position: position + added.length, spoken: counts.spoken })
  }
}

/** Posts a note within a transaction. False when its id is known, also when that note was taken. */
export async function postNote(rows: Rows, key: SessionKey, note: SessionNote): Promise<boolean> {
  const { id, owner } = note
  const { notes: position } = await lockSession(rows, key)
  const isNew = await rows.add("notes", { ...sessionOf(key), id, owner, position, body: frozenJson(note, "note") })
  if (isNew) await rows.update("sessions", sessionOf(key), { notes: position + 1 })
  return isNew
}

/** Adds messages from `position` on. Returns the session's new count of messages that are not blank, and about the length of the added JSON. */
async function insertMessages(
  rows: Rows,
  key: SessionKey,
  { messages, ...before }: { readonly messages: readonly HistoryMessage[]; readonly position: number; readonly spoken: number },
) {
  const added = historyRows(key, messages, before)
  await rows.insert("messages", added.rows)
  return { spoken: added.spoken, characters: messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0) }
}

const counts = ["version", "next_position", "spoken"] as const

type SessionRow = SessionColumns & Pick<Tables["sessions"], (typeof counts)[number]>
type WithState = Pick<Tables["sessions"], "whole_state">

const insertRow = prepared([...keyNames, ...counts, "whole_state"], (db, row: SessionRow & WithState) =>
  db
    .insertInto("sessions")
    .values({ ...row, notes: 0 })
    .onConflict((conflict) => conflict.columns(keyNames).doNothing())
    .returning(epochOf(db, row).as("epoch")),
)

/** A session's row as this process last saw it. */
interface SeenRow {
  readonly seen_version: number
  readonly seen_position: number
  readonly seen_spoken: number
  readonly seen_epoch: number
}

const seen = ["seen_version", "seen_position", "seen_spoken", "seen_epoch"] as const

const updateSeen = prepared([...keyNames, ...counts, ...seen], (db, row: SessionRow & SeenRow) => updatingSeen(db, row))

const updateSeenWhole = prepared([...keyNames, ...counts, ...seen, "whole_state"], (db, row: SessionRow & SeenRow & WithState) =>
  updatingSeen(db, row, row),
)

/** Sets the row of a session if nobody has changed it since it was seen. */
function updatingSeen(db: Queries, row: SessionRow & SeenRow, state?: WithState) {
  const { agent, conversation, audience, version, next_position, spoken } = row
  const key = { agent, conversation, audience }
  // The state is named also where it stays: a newer version renames the column, and from then on this one must write no turns.
  return db
    .updateTable("sessions")
    .set(({ ref }) => ({ version, next_position, spoken, whole_state: state?.whole_state ?? ref("whole_state") }))
    .where(having({ ...key, version: row.seen_version, next_position: row.seen_position, spoken: row.seen_spoken }))
    .where(({ eb, fn, lit }) => eb(fn.coalesce(epochOf(db, key), lit(0)), "=", row.seen_epoch))
}
