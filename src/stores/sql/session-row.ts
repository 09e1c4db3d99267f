import type { SessionKey } from "../../core/keys.ts"
import { sessionColumns } from "./key-columns.ts"
import { epochOf } from "./memory-scope.ts"
import type { Queries } from "./tables.ts"

/** What a transaction needs of a session that it changes. */
export interface LockedSession {
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
