import type { SessionKey } from "../../../core/keys.ts"
import type { SessionRecord } from "../../../services/session-store.ts"
import { sessionColumns } from "../key-columns.ts"
import type { Queries } from "../sql-tables.ts"
import { applyChange, type Change, changeOf } from "./state-change.ts"

type State = SessionRecord["state"]

/** How much of a session's state lies in its row, and how much in changes since then, in characters of JSON. */
export interface StateSize {
  readonly whole: number
  readonly changes: number
}

/** Smaller states are written whole: a change costs a row. */
const leastWhole = 16_000

/** The state of a session whose row has `whole`, with all changes since. */
export async function readState(
  db: Queries,
  key: SessionKey,
  whole: string,
): Promise<{ readonly state: State; readonly size: StateSize }> {
  const rows = await db
    .selectFrom("state_changes")
    .select("body")
    .where(({ and }) => and(sessionColumns(key)))
    .orderBy("version")
    .execute()
  const state = rows.reduce<unknown>((before, { body }) => applyChange(before, JSON.parse(body) as Change), JSON.parse(whole))
  const changes = rows.reduce((sum, { body }) => sum + body.length, 0)
  return { state: state as State, size: { whole: whole.length, changes } }
}

/**
 * Writes a session's state, as a change where what it was before is known and large, and where changes are not yet as long as the whole:
 * so a turn writes what it changed, and a reader never reads more than twice the state. Hands over what belongs into the session's row.
 */
export async function writeState(
  db: Queries,
  key: SessionKey,
  {
    state,
    version,
    before,
  }: {
    readonly state: State
    readonly version: number
    /** As the database has it, for certain. */
    readonly before: { readonly state: State; readonly size: StateSize } | undefined
  },
): Promise<{ readonly whole: { readonly whole_state?: string }; readonly size: StateSize }> {
  if (before !== undefined && before.size.whole >= leastWhole) {
    const body = JSON.stringify(changeOf(before.state, state))
    const changes = before.size.changes + body.length
    if (changes <= before.size.whole) {
      await db
        .insertInto("state_changes")
        .values({ ...sessionColumns(key), version, body })
        .execute()
      return { whole: {}, size: { ...before.size, changes } }
    }
  }
  if (before === undefined || before.size.changes > 0) await deleteChanges(db, key)
  const text = JSON.stringify(state)
  return { whole: { whole_state: text }, size: { whole: text.length, changes: 0 } }
}

/** To be called by whoever writes a state into its row, or deletes that. */
export async function deleteChanges(db: Queries, key: SessionKey): Promise<void> {
  await db
    .deleteFrom("state_changes")
    .where(({ and }) => and(sessionColumns(key)))
    .execute()
}
