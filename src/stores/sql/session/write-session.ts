import type { HistoryMessage } from "../../../core/history.ts"
import type { SessionKey } from "../../../core/keys.ts"
import { frozenJson } from "../../../services/frozen-json.ts"
import { sessionConflict } from "../../../services/session-conflict.ts"
import type { SessionCommit, SessionNote } from "../../../services/session-store.ts"
import { keyText, sessionColumns } from "../key-columns.ts"
import { epochOf } from "../memory/memory-scope.ts"
import type { Queries } from "../sql-tables.ts"
import type { KnownSession } from "./session-cache.ts"
import { writeState } from "./stored-state.ts"

/** What a turn is written with: plain JSON, and what is known of its session. */
interface TurnToWrite extends Omit<SessionCommit, "jobs"> {
  readonly known: KnownSession | undefined
}

/** What a turn's transaction wrote, and all that is known of its session then; nothing, unless it was known before. */
interface WrittenTurn {
  readonly version: number
  readonly known: KnownSession | undefined
}

/** Writes a turn within a transaction, apart from its jobs. Throws `session-conflict`. */
export async function commitSession(db: Queries, key: SessionKey, turn: TurnToWrite): Promise<WrittenTurn> {
  const { expectVersion, append, state, taken = [] } = turn
  const columns = sessionColumns(key)
  const found = await lockSession(db, key)
  if (found.version !== expectVersion) throw sessionConflict(key, expectVersion, found.version)
  // Asked for once the session is ours: one that was deleted meanwhile and begun anew is of another epoch.
  const { epoch } = (await sessionVersion(db, key)) ?? { epoch: 0 }
  const before = knownBefore(turn.known, { ...found, epoch })
  const added = await insertMessages(db, key, { messages: append, position: found.messages, spoken: found.spoken })
  const version = found.version + 1
  const { whole, size } = await writeState(db, key, { state, version, before })
  await db
    .updateTable("sessions")
    .set({ version, ...whole, messages: found.messages + append.length, spoken: added.spoken })
    .where(({ and }) => and(columns))
    .execute()
  if (taken.length > 0)
    await db
      .updateTable("notes")
      .set({ body: null })
      .where(({ and }) => and(columns))
      .where("id", "in", taken.map(keyText))
      .execute()
  const history = before && Object.freeze([...before.history, ...append])
  const historyCharacters = (before?.historyCharacters ?? 0) + added.characters
  return { version, known: history && { version, epoch, history, state, historyCharacters, size } }
}

/** What is known, if it is what the transaction has found. */
function knownBefore(
  known: KnownSession | undefined,
  found: LockedSession & Pick<KnownSession, "epoch">,
): KnownSession | undefined {
  if (known !== undefined && known.version === found.version && known.epoch === found.epoch) return known
  if (found.version > 0 || found.messages > 0) return undefined
  return { ...newSession, epoch: found.epoch }
}

const newSession = { version: 0, history: [], state: {}, historyCharacters: 0, size: { whole: 2, changes: 0 } } as const

/** Adds messages from a position on; how many that are not blank the session then has, and how long their JSON was. */
export async function insertMessages(
  db: Queries,
  key: SessionKey,
  {
    messages,
    position,
    spoken,
  }: { readonly messages: readonly HistoryMessage[]; readonly position: number; readonly spoken: number },
): Promise<{ readonly spoken: number; readonly characters: number }> {
  const columns = sessionColumns(key)
  let total = spoken
  let characters = 0
  for (const [at, message] of messages.entries()) {
    const { role, turnId, speaker, atMs, text } = message
    const body = JSON.stringify(message)
    characters += body.length
    await db
      .insertInto("messages")
      .values({
        ...columns,
        position: position + at,
        turn_id: keyText(turnId),
        role,
        speaker_id: keyText(speaker.id),
        speaker_name: keyText(speaker.name),
        at_ms: atMs,
        spoken: total,
        body,
      })
      .execute()
    if (text.trim() !== "") total += 1
  }
  return { spoken: total, characters }
}

/** Keeps a note within a transaction; false where its id is known, also of one that was taken. */
export async function postNote(db: Queries, key: SessionKey, note: SessionNote): Promise<boolean> {
  const columns = sessionColumns(key)
  const body = JSON.stringify(frozenJson(note, "note"))
  const { notes } = await lockSession(db, key)
  const added = await db
    .insertInto("notes")
    .values({ ...columns, id: keyText(note.id), owner: keyText(note.owner), position: notes, body })
    .onConflict((conflict) => conflict.columns(["agent", "conversation", "audience", "id"]).doNothing())
    .returning("id")
    .executeTakeFirst()
  if (added === undefined) return false
  await db
    .updateTable("sessions")
    .set({ notes: notes + 1 })
    .where(({ and }) => and(columns))
    .execute()
  return true
}

/** What a transaction needs of a session that it changes. */
interface LockedSession {
  readonly version: number
  /** The position of its next message. */
  readonly messages: number
  readonly spoken: number
  /** The position of its next note. */
  readonly notes: number
}

/** The session's row, made where there is none; until the transaction ends nobody else changes the session. */
export async function lockSession(db: Queries, key: SessionKey): Promise<LockedSession> {
  const columns = sessionColumns(key)
  return db
    .insertInto("sessions")
    .values({ ...columns, version: 0, whole_state: "{}", messages: 0, spoken: 0, notes: 0 })
    .onConflict((conflict) =>
      conflict.columns(["agent", "conversation", "audience"]).doUpdateSet(({ ref }) => ({ version: ref("sessions.version") })),
    )
    .returning(["version", "messages", "spoken", "notes"])
    .executeTakeFirstOrThrow()
}

/** The version of a session and the epoch of its agent; undefined where there is none. */
export async function sessionVersion(
  db: Queries,
  key: SessionKey,
): Promise<{ readonly version: number; readonly epoch: number } | undefined> {
  const row = await db
    .selectFrom("sessions")
    .select(["version", epochOf(db, key.agent).as("epoch")])
    .where(({ and }) => and(sessionColumns(key)))
    .executeTakeFirst()
  return row && { version: row.version, epoch: row.epoch ?? 0 }
}
