import type { SessionKey } from "../../../../core/conversation.ts"
import { openTurnKey, stateWithoutWaitingTurn } from "../waiting-turn.ts"
import { groupScope, lockScope, type MemoryScope, nextEpoch, setEpoch, userScope } from "./memory-scopes.ts"
import { messageTables, type RowTables, sessionOf, sessionRowId } from "./row-tables.ts"
import { type Conditions, inPages, type Rows } from "./rows.ts"

/** A memory that is deleted, by its columns. */
type DeletedMemory = Pick<RowTables["memories"], (typeof deletedColumns)[number]>

const deletedColumns = ["id", "user_id", "conversation", "audience"] as const

/**
 * Deletes the memories of an agent that meet one of the conditions, the insights that rest on them, and the vectors of both. Their scopes
 * begin a new epoch, so that readers of changes begin anew. Without `insights` only the memories themselves go.
 */
export async function forgetMemories(
  rows: Rows,
  agent: string,
  where: readonly Conditions<"memories">[],
  { insights = true } = {},
): Promise<{ readonly memories: readonly DeletedMemory[]; readonly vectors: number }> {
  const epoch = await nextEpoch(rows, agent)
  const locked = new Map<string, MemoryScope>()
  // Until its scope is locked, another transaction can still add a memory that is to be deleted: look again after each lock.
  for (;;) {
    const found = await rows.select("memories", where, { columns: deletedColumns })
    const memories = insights ? await withInsights(rows, agent, found) : found
    const missing = scopesOf(agent, memories).filter(({ row }) => !locked.has(row.scope))
    if (missing.length === 0) {
      const vectors = await deleteMemories(rows, agent, memories)
      for (const scope of locked.values()) await setEpoch(rows, scope, epoch)
      return { memories, vectors }
    }
    for (const scope of missing) {
      await lockScope(rows, scope)
      locked.set(scope.row.scope, scope)
    }
  }
}

/** Users' scopes before groups', the order in which all transactions lock them. */
function scopesOf(agent: string, memories: readonly DeletedMemory[]): readonly MemoryScope[] {
  const users = new Set(memories.map(({ user_id }) => user_id))
  const groups = groupsOf(memories)
  return [
    ...[...users].sort().map((user) => userScope(agent, user)),
    ...[...groups].sort().map((conversation) => groupScope(agent, conversation)),
  ]
}

function groupsOf(memories: readonly DeletedMemory[]): ReadonlySet<string> {
  return new Set(memories.flatMap(({ audience, conversation }) => (audience === "group" ? [conversation] : [])))
}

async function withInsights(rows: Rows, agent: string, memories: readonly DeletedMemory[]): Promise<readonly DeletedMemory[]> {
  const found = new Map(memories.map((row) => [row.id, row]))
  const columns = [...deletedColumns, "body"] as const
  const insights = await rows.select("memories", { agent, kind: "insight" }, { columns })
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const row of insights) if (row.body.sources?.some((source) => found.has(source))) found.set(row.id, row)
  }
  return [...found.values()]
}

/** Deletes memories of locked scopes, and their vectors. Memories that they had superseded hold again. Returns the number of vectors. */
async function deleteMemories(rows: Rows, agent: string, memories: readonly DeletedMemory[]): Promise<number> {
  let vectors = 0
  for (const page of inPages(memories.map(({ id }) => id))) {
    vectors += await rows.delete("vectors", { agent, memory_id: { in: page } })
    await rows.delete("memories", { agent, id: { in: page } })
    await rows.update("memories", { agent, superseded_by: { in: page } }, { superseded_by: null })
  }
  return vectors
}

/**
 * Messages keep what their turn recalled. Deletes that from every message whose turn may have recalled one of these memories, and
 * gives the sessions of these messages a new version. `except` is a session that keeps its own, and `sinceMs` leaves out older messages.
 */
export async function dropRecalled(
  rows: Rows,
  agent: string,
  memories: readonly DeletedMemory[],
  { except, sinceMs }: { readonly except?: SessionKey; readonly sinceMs?: number } = {},
): Promise<void> {
  const users = new Set(memories.map(({ user_id }) => user_id))
  const groups = groupsOf(memories)
  const changed = new Map<string, SessionKey>()
  const isSpared = (key: SessionKey) => except !== undefined && sessionRowId(key) === sessionRowId(except)
  const mayHold = {
    agent,
    at_ms: sinceMs === undefined ? undefined : { from: sinceMs },
    body: { holding: ["recalled", "runs"] },
  }
  const owners = [
    ...Array.from(users, (speaker_id) => ({ speaker_id })),
    ...Array.from(groups, (conversation) => ({ conversation, audience: "group" as const })),
  ]
  const columns = ["agent", "conversation", "audience", "position", "body"] as const
  for (const table of messageTables)
    for (const owner of owners)
      for (const { body, ...row } of await rows.select(table, { ...mayHold, ...owner }, { columns })) {
        const { recalled, runs, ...rest } = body
        if ((recalled ?? runs) === undefined || isSpared(row)) continue
        changed.set(sessionRowId(row), row)
        await rows.update(table, { ...sessionOf(row), position: row.position }, { body: Object.freeze(rest) })
      }
  for (const key of await rows.sessionsHolding(agent, openTurnKey)) {
    if (isSpared(key)) continue
    const isOwner = (user: string) => users.has(user) || (key.audience === "group" && groups.has(key.conversation))
    const without = stateWithoutWaitingTurn(await rows.readState(key), isOwner, sinceMs)
    if (without === undefined) continue
    await rows.writeState(key, without)
    changed.set(sessionRowId(key), key)
  }
  for (const key of changed.values()) await rows.raiseVersion("sessions", sessionOf(key))
}
