import type { SessionKey } from "../../core/keys.ts"
import { frozenJson } from "../../services/store/frozen-json.ts"
import type { SessionNote } from "../../services/store/session-store.ts"
import { sessionColumns } from "./key-columns.ts"
import { keyText } from "./key-text.ts"
import { lockSession } from "./session-row.ts"
import type { Queries } from "./tables.ts"

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
