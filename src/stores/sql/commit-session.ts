import type { HistoryMessage } from "../../core/history.ts"
import type { SessionKey } from "../../core/keys.ts"
import { sessionConflict } from "../../services/session-conflict.ts"
import type { SessionCommit } from "../../services/session-store.ts"
import { sessionColumns } from "./key-columns.ts"
import { keyText } from "./key-text.ts"
import { lockSession } from "./session-row.ts"
import type { Queries } from "./tables.ts"

/** What a turn's transaction wrote. */
export interface WrittenTurn {
  readonly version: number
  /** The agent's epoch at that moment, or an earlier one. */
  readonly epoch: number
  /** True where the session had no words before. */
  readonly isFirst: boolean
  /** Of the JSON. */
  readonly characters: { readonly append: number; readonly state: number }
}

/** Writes a turn within a transaction, apart from its jobs. Throws `session-conflict`. Takes plain JSON only. */
export async function commitSession(
  db: Queries,
  key: SessionKey,
  { expectVersion, append, state, taken = [] }: Omit<SessionCommit, "jobs">,
): Promise<WrittenTurn> {
  const columns = sessionColumns(key)
  const found = await lockSession(db, key)
  if (found.version !== expectVersion) throw sessionConflict(key, expectVersion, found.version)
  const added = await insertMessages(db, key, { messages: append, position: found.messages, spoken: found.spoken })
  const version = found.version + 1
  const text = JSON.stringify(state)
  await db
    .updateTable("sessions")
    .set({ version, state: text, messages: found.messages + append.length, spoken: added.spoken })
    .where(({ and }) => and(columns))
    .execute()
  if (taken.length > 0)
    await db
      .updateTable("notes")
      .set({ body: null })
      .where(({ and }) => and(columns))
      .where("id", "in", taken.map(keyText))
      .execute()
  return {
    version,
    epoch: found.epoch ?? 0,
    isFirst: found.messages === 0,
    characters: { append: added.characters, state: text.length },
  }
}

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
