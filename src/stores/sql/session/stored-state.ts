import type { SessionKey } from "../../../core/conversation.ts"
import type { SessionRecord } from "../../../services/store/session-store.ts"
import { inSession, sessionColumns } from "../key-columns.ts"
import { bodyText, readBody } from "../row-body.ts"
import type { Queries } from "../sql-tables.ts"
import { applyChange, type Change, changeOf } from "./state-change.ts"

type State = SessionRecord["state"]

/** The characters of JSON that a session's state takes: in the session's row, and in the changes since. */
export interface StateSize {
  readonly whole: number
  readonly changes: number
}

/** Smaller states are written whole, because a change costs a row. */
const leastWhole = 16_000

/** The current state of a session: `whole`, as its row has it, with all later changes. */
export async function readState(db: Queries, key: SessionKey, whole: string) {
  const rows = await db.selectFrom("state_changes").select(["version", "body"]).where(inSession(key)).orderBy("version").execute()
  const session = sessionColumns(key)
  const nameOf = (version: number) => ({ table: "state_changes", columns: { ...session, version } })
  const state = rows.reduce<unknown>(
    (before, { version, body }) => applyChange(before, readBody<Change>(body, nameOf(version))),
    readBody(whole, { table: "sessions", columns: { ...session } }),
  )
  const changes = rows.reduce((sum, { body }) => sum + body.length, 0)
  const size: StateSize = { whole: whole.length, changes }
  return { state: state as State, size }
}

/** A state to write, and the one before it. */
interface StateToWrite {
  readonly state: State
  readonly version: number
  /** Exactly the state in the database; undefined when this process does not know it. */
  readonly before: { readonly state: State; readonly size: StateSize } | undefined
}

/**
 * Writes a session's state as a change when the state before is known and large, and the changes are not yet as long as the whole. So
 * a turn writes only what it changed, and a reader reads at most twice the state. Returns the columns to set in the session's row.
 */
export async function writeState(
  db: Queries,
  key: SessionKey,
  { state, version, before }: StateToWrite,
): Promise<{ readonly whole: { readonly whole_state?: string }; readonly size: StateSize }> {
  if (before !== undefined && before.size.whole >= leastWhole) {
    const body = bodyText(changeOf(before.state, state))
    const changes = before.size.changes + body.length
    if (changes <= before.size.whole) {
      const row = { ...sessionColumns(key), version, body }
      await db.insertInto("state_changes").values(row).execute()
      return { whole: {}, size: { ...before.size, changes } }
    }
  }
  if (before === undefined || before.size.changes > 0) await deleteChanges(db, key)
  const text = bodyText(state)
  return { whole: { whole_state: text }, size: { whole: text.length, changes: 0 } }
}

/** Deletes the changes of a session's state. To be called whenever the whole state is written or its row is deleted. */
export async function deleteChanges(db: Queries, key: SessionKey): Promise<void> {
  await db.deleteFrom("state_changes").where(inSession(key)).execute()
}
