import type { HistoryMessage } from "../../core/history.ts"
import type { SessionKey } from "../../core/keys.ts"
import { frozenJson } from "../../services/frozen-json.ts"
import { sessionConflict } from "../../services/session-conflict.ts"
import type { SessionCommit } from "../../services/session-store.ts"
import { sessionColumns } from "./key-columns.ts"
import { keyText } from "./key-text.ts"
import { lockSession } from "./session-row.ts"
import type { Queries } from "./tables.ts"

/** Writes a turn within a transaction, apart from its jobs; the session's new version. Throws `session-conflict`. */
export async function commitSession(
  db: Queries,
  key: SessionKey,
  { expectVersion, append, state, taken = [] }: Omit<SessionCommit, "jobs">,
): Promise<number> {
  const columns = sessionColumns(key)
  const found = await lockSession(db, key)
  if (found.version !== expectVersion) throw sessionConflict(key, expectVersion, found.version)
  const spoken = await insertMessages(db, key, { messages: append, position: found.messages, spoken: found.spoken })
  const version = found.version + 1
  await db
    .updateTable("sessions")
    .set({ version, state: JSON.stringify(frozenJson(state, "state")), messages: found.messages + append.length, spoken })
    .where(({ and }) => and(columns))
    .execute()
  if (taken.length > 0)
    await db
      .updateTable("notes")
      .set({ body: null })
      .where(({ and }) => and(columns))
      .where("id", "in", taken.map(keyText))
      .execute()
  return version
}

/** Adds messages from a position on; how many that are not blank the session then has. */
export async function insertMessages(
  db: Queries,
  key: SessionKey,
  {
    messages,
    position,
    spoken,
  }: { readonly messages: readonly HistoryMessage[]; readonly position: number; readonly spoken: number },
): Promise<number> {
  const columns = sessionColumns(key)
  let total = spoken
  for (const [at, message] of messages.entries()) {
    const { role, turnId, speaker, atMs, text } = message
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
        body: JSON.stringify(frozenJson(message, `append[${at}]`)),
      })
      .execute()
    if (text.trim() !== "") total += 1
  }
  return total
}
