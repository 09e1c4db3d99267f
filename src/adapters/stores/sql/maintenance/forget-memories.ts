import type { Expression, ExpressionBuilder, SqlBool } from "kysely"
import type { HistoryMessage, SessionKey } from "../../../../core/conversation.ts"
import type { StoredMemory } from "../../../../memory/services/store/records.ts"
import { approvalKey, stateWithoutWaitingTurn } from "../../../../memory/services/store/waiting-turn.ts"
import { fromKeyText, having, keyText, sessionColumns } from "../key-columns.ts"
import { groupScope, lockScope, nextEpoch, setEpoch, userScope } from "../memory/memory-scope.ts"
import { bodyText, readBody } from "../row-body.ts"
import { deleteChanges, readState } from "../session/stored-state.ts"
import { type MemoryColumns, messageTables, type Queries, type SessionColumns, type Tables } from "../sql-tables.ts"

type MessageTable = (typeof messageTables)[number]

/** A memory that is deleted, by its columns. */
type DeletedMemory = Pick<MemoryColumns, "id" | "user_id" | "conversation" | "audience">

/** The condition that a memory is to be deleted. */
type MemoryCondition = (eb: ExpressionBuilder<Tables, "memories">) => Expression<SqlBool>

/** The columns of a {@link DeletedMemory}. */
export const deletedColumns = ["id", "user_id", "conversation", "audience"] as const
const pageIds = 500

/**
 * Deletes the memories of an agent that meet the condition, the insights that rest on them, and the vectors of both. Their scopes begin a new epoch, so that
 * readers of changes begin anew.
 */
export async function forgetMemories(db: Queries, agent: string, isOwned: MemoryCondition) {
  const epoch = await nextEpoch(db, agent)
  const locked = new Set<string>()
  // Until its scope is locked, another transaction can still add a memory that is to be deleted: look again after each lock.
  for (;;) {
    const memories = await memoriesToDelete(db, agent, isOwned)
    const missing = scopesOf(memories).filter((scope) => !locked.has(scope))
    if (missing.length === 0) {
      const vectors = await deleteMemories(db, agent, memories)
      for (const scope of locked) await setEpoch(db, agent, scope, epoch)
      return { memories, vectors }
    }
    for (const scope of missing) {
      await lockScope(db, agent, scope)
      locked.add(scope)
    }
  }
}

/** Users' scopes before groups', the order in which all transactions lock them. */
export function scopesOf(memories: readonly DeletedMemory[]): readonly string[] {
  const users = new Set(memories.map(({ user_id }) => userScope(fromKeyText(user_id))))
  const inGroups = memories.filter(({ audience }) => audience === "group")
  const groups = new Set(inGroups.map(({ conversation }) => groupScope(fromKeyText(conversation))))
  return [...[...users].sort(), ...[...groups].sort()]
}

async function memoriesToDelete(db: Queries, agent: string, isOwned: MemoryCondition): Promise<readonly DeletedMemory[]> {
  const rows = await db.selectFrom("memories").select(deletedColumns).where(isOwned).execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  const ofAgent = db.selectFrom("memories").where("agent", "=", keyText(agent))
  const ofInsights = await ofAgent.select(deletedColumns).select("body").where("kind", "=", "insight").execute()
  const columnsOf = (id: string) => ({ table: "memories", columns: { agent: keyText(agent), id } })
  const sourcesIn = (id: string, body: string) => (readBody<StoredMemory>(body, columnsOf(id)).sources ?? []).map(keyText)
  const insights = ofInsights.map(({ body, ...row }) => ({ row, sources: sourcesIn(row.id, body) }))
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const { row, sources } of insights) if (sources.some((source) => found.has(source))) found.set(row.id, row)
  }
  return [...found.values()]
}

/** Deletes memories with their vectors. Memories that they had superseded hold again. Returns how many vectors were deleted. */
export async function deleteMemories(db: Queries, agent: string, memories: readonly DeletedMemory[]): Promise<number> {
  const owner = keyText(agent)
  let vectors = 0
  for (let at = 0; at < memories.length; at += pageIds) {
    const ids = memories.slice(at, at + pageIds).map(({ id }) => id)
    const deleted = await db.deleteFrom("vectors").where("agent", "=", owner).where("memory_id", "in", ids).executeTakeFirst()
    vectors += Number(deleted.numDeletedRows)
    await db.deleteFrom("memories").where("agent", "=", owner).where("id", "in", ids).execute()
    const superseded = db.updateTable("memories").set({ superseded_by: null }).where("agent", "=", owner)
    await superseded.where("superseded_by", "in", ids).execute()
  }
  return vectors
}

/**
 * Messages keep what their turn recalled. Deletes that from every message whose turn may have recalled one of these memories, and
 * gives the sessions of these messages a new version. `except` is a session that keeps its own, and `sinceMs` leaves out older messages.
 */
export async function dropRecalled(
  db: Queries,
  agent: string,
  memories: readonly DeletedMemory[],
  options: { readonly except?: SessionKey; readonly sinceMs?: number } = {},
): Promise<void> {
  const inGroups = memories.filter(({ audience }) => audience === "group")
  const users = new Set(memories.map(({ user_id }) => user_id))
  const groups = new Set(inGroups.map(({ conversation }) => conversation))
  const changed = new Map<string, SessionColumns>()
  for (const table of messageTables) {
    const recalling = () => mayHaveRecalled(db, table, keyText(agent), options)
    for (const user of users) await dropFrom(db, table, recalling().where("speaker_id", "=", user), changed)
    for (const group of groups)
      await dropFrom(db, table, recalling().where("conversation", "=", group).where("audience", "=", "group"), changed)
  }
  await dropWaiting(db, agent, { users, groups, ...options }, changed)
  for (const session of changed.values())
    await db
      .updateTable("sessions")
      .set(({ eb }) => ({ version: eb("version", "+", 1) }))
      .where(having(session))
      .execute()
}

/** Deletes turns that wait for an approval and may hold one of these memories: what was recalled for them, and what their tools said. */
async function dropWaiting(
  db: Queries,
  agent: string,
  { users, groups, except, sinceMs }: DroppedFrom,
  changed: Map<string, SessionColumns>,
) {
  const isHere = (eb: ExpressionBuilder<Tables, "sessions">) =>
    eb.or([
      eb("whole_state", "like", `%"${approvalKey}"%`),
      eb.exists(
        eb
          .selectFrom("state_changes as change")
          .select("change.version")
          .whereRef("change.agent", "=", "sessions.agent")
          .whereRef("change.conversation", "=", "sessions.conversation")
          .whereRef("change.audience", "=", "sessions.audience")
          .where("change.body", "like", `%"${approvalKey}"%`),
      ),
    ])
  let found = db.selectFrom("sessions").select(["agent", "conversation", "audience", "whole_state"])
  if (except !== undefined) found = found.where(({ not, and }) => not(and(sessionColumns(except))))
  for (const { whole_state, ...session } of await found.where("agent", "=", keyText(agent)).where(isHere).execute()) {
    const { audience } = session
    const key = { agent, conversation: fromKeyText(session.conversation), audience }
    const { state } = await readState(db, key, whole_state)
    const isOwner = (user: string) => users.has(keyText(user)) || (audience === "group" && groups.has(session.conversation))
    const without = stateWithoutWaitingTurn(state, isOwner, sinceMs)
    if (without === undefined) continue
    await deleteChanges(db, key)
    await db
      .updateTable("sessions")
      .set({ whole_state: bodyText(without) })
      .where(having(session))
      .execute()
    changed.set(JSON.stringify(session), session)
  }
}

/** The owners of deleted memories, and the sessions that keep what they have of them. */
interface DroppedFrom {
  readonly users: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly except?: SessionKey
  readonly sinceMs?: number
}

/** Every message that holds recalled memories or tool runs, which may hold some, and perhaps more: the text of a message can hold the same characters. */
function mayHaveRecalled(
  db: Queries,
  table: MessageTable,
  agent: string,
  { except, sinceMs }: { readonly except?: SessionKey; readonly sinceMs?: number },
) {
  let messages = db.selectFrom(table).select(["agent", "conversation", "audience", "position", "body"])
  if (sinceMs !== undefined) messages = messages.where("at_ms", ">=", sinceMs)
  if (except !== undefined) messages = messages.where(({ not, and }) => not(and(sessionColumns(except))))
  return messages
    .where("agent", "=", agent)
    .where((eb) => eb.or([eb("body", "like", '%"recalled"%'), eb("body", "like", '%"runs"%')]))
}

async function dropFrom(
  db: Queries,
  table: MessageTable,
  messages: ReturnType<typeof mayHaveRecalled>,
  changed: Map<string, SessionColumns>,
) {
  for (const { body, position, ...session } of await messages.execute()) {
    const { recalled, runs, ...rest } = readBody<HistoryMessage>(body, { table, columns: { ...session, position } })
    if ((recalled ?? runs) === undefined) continue
    changed.set(JSON.stringify(session), session)
    const without = { body: bodyText(rest) }
    await db.updateTable(table).set(without).where(having(session)).where("position", "=", position).execute()
  }
}
