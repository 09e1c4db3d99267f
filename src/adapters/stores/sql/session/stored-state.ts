import type { SessionKey } from "../../../../core/conversation.ts"
import { keyText } from "../../../../memory/services/store/rows/row-tables.ts"
import type { SessionRecord } from "../../../../memory/services/store/session-store.ts"
import { readBody, storedBody } from "../row-body.ts"
import { fromKeyText, inSession, type Queries, sessionColumns } from "../sql-database.ts"
import { applyChange, changeOf, type Diff } from "./state-change.ts"

type State = SessionRecord["state"]

/** The characters of JSON that a session's state takes: in the session's row, and in the changes since. */
export interface StateSize {
  readonly whole: number
  readonly changes: number
}

/** Smaller states are written whole, because a change costs a row. */
const leastWhole = 16_000

/** The current state of a session: `whole`, as its row has it, with all later changes. */
export async function currentState(db: Queries, key: SessionKey, whole: string) {
  const rows = await db.selectFrom("state_changes").select(["version", "body"]).where(inSession(key)).orderBy("version").execute()
  const session = sessionColumns(key)
  const nameOf = (version: number) => ({ table: "state_changes", columns: { ...session, version } })
  const state = rows.reduce<unknown>(
    (before, { version, body }) => applyChange(before, readBody<Diff>(body, nameOf(version))),
    readBody(whole, { table: "sessions", columns: { ...session } }),
  )
  const changes = rows.reduce((sum, { body }) => sum + body.length, 0)
  const size: StateSize = { whole: whole.length, changes }
  return { state: state as State, size }
}

/** Exactly the state in the database; undefined when this process does not know it. */
type StateBefore = { readonly state: State; readonly size: StateSize } | undefined

/** A state as its rows: as a change of the one before it, or whole, in the session's row. */
type StateRows = ReturnType<typeof stateRows>

/**
 * The rows of a session's state: a change when the state before is known and large, and the changes are not yet as long as the whole.
 * So a turn writes only what it changed, and a reader reads at most twice the state.
 */
export function stateRows(state: State, before: StateBefore) {
  if (before !== undefined && before.size.whole >= leastWhole) {
    const change = storedBody(changeOf(before.state, state))
    const changes = before.size.changes + change.length
    if (changes <= before.size.whole) return { change, whole: {}, size: { ...before.size, changes }, endsChanges: false }
  }
  const text = storedBody(state)
  /** True if the changes before it have to go. */
  const endsChanges = before === undefined || before.size.changes > 0
  return { change: undefined, whole: { whole_state: text }, size: { whole: text.length, changes: 0 }, endsChanges }
}

/** Writes what is not in the session's row. The row must be there. */
export async function writeChanges(
  db: Queries,
  key: SessionKey,
  { version, change, endsChanges }: { readonly version: number } & Pick<StateRows, "change" | "endsChanges">,
): Promise<void> {
  if (change !== undefined)
    await db
      .insertInto("state_changes")
      .values({ ...sessionColumns(key), version, body: change })
      .execute()
  if (endsChanges) await deleteChanges(db, key)
}

/** Writes the part of a session's state that is not in the session's row. Returns the columns to set there. */
export async function writeState(
  db: Queries,
  key: SessionKey,
  { state, version, before }: { readonly state: State; readonly version: number; readonly before: StateBefore },
): Promise<Pick<StateRows, "whole" | "size">> {
  const rows = stateRows(state, before)
  await writeChanges(db, key, { ...rows, version })
  return rows
}

/** Deletes the changes of a session's state. To be called whenever the whole state is written or its row is deleted. */
export async function deleteChanges(db: Queries, key: SessionKey): Promise<void> {
  await db.deleteFrom("state_changes").where(inSession(key)).execute()
}

/** The sessions of an agent whose state has this member, and perhaps more: its texts can hold the same characters. */
export async function sessionsHolding(db: Queries, agent: string, member: string): Promise<readonly SessionKey[]> {
  const found = db
    .selectFrom("sessions")
    .select(["conversation", "audience"])
    .where("agent", "=", keyText(agent))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb("whole_state", "like", `%"${member}"%`),
        exists(
          selectFrom("state_changes as change")
            .select("change.version")
            .whereRef("change.agent", "=", "sessions.agent")
            .whereRef("change.conversation", "=", "sessions.conversation")
            .whereRef("change.audience", "=", "sessions.audience")
            .where("change.body", "like", `%"${member}"%`),
        ),
      ]),
    )
  const keys = await found.execute()
  return keys.map(({ conversation, audience }) => ({ agent, conversation: fromKeyText(conversation), audience }))
}
