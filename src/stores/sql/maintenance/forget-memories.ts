import type { HistoryMessage } from "../../../core/history.ts"
import type { StoredMemory } from "../../../services/stored-memory.ts"
import { fromKeyText, keyText } from "../key-columns.ts"
import { groupScope, lockScope, nextEpoch, setEpoch, userScope } from "../memory/memory-scope.ts"
import type { OwnedKeys } from "../sql-database.ts"
import type { MemoryColumns, Queries, SessionColumns } from "../sql-tables.ts"
import { whereOwned } from "./scope-rows.ts"

/** What is said of a memory that goes, in its columns' words. */
type GoneMemory = Pick<MemoryColumns, "id" | "user_id" | "conversation" | "audience">

const pageIds = 500

/**
 * Deletes the memories of a scope, the insights that rest on them, and their vectors. Whoever has read along in one of their
 * scopes reads anew.
 */
export async function forgetMemories(
  db: Queries,
  owned: OwnedKeys,
): Promise<{ readonly memories: readonly GoneMemory[]; readonly vectors: number }> {
  const { agent } = owned.scope
  const epoch = await nextEpoch(db, agent)
  const locked = new Set<string>()
  // Who holds a scope's lock may be adding to what goes: it is looked for again once all its scopes are ours.
  for (;;) {
    const gone = await goneMemories(db, owned)
    const missing = scopesOf(gone).filter((scope) => !locked.has(scope))
    if (missing.length === 0) return { memories: gone, vectors: await deleteMemories(db, agent, { gone, scopes: locked, epoch }) }
    for (const scope of missing) {
      await lockScope(db, agent, scope)
      locked.add(scope)
    }
  }
}

/** Users' before groups', as everybody locks them. */
function scopesOf(gone: readonly GoneMemory[]): readonly string[] {
  const users = new Set(gone.map(({ user_id }) => userScope(fromKeyText(user_id))))
  const inGroups = gone.filter(({ audience }) => audience === "group")
  const groups = new Set(inGroups.map(({ conversation }) => groupScope(fromKeyText(conversation))))
  return [...[...users].sort(), ...[...groups].sort()]
}

async function goneMemories(db: Queries, owned: OwnedKeys): Promise<readonly GoneMemory[]> {
  const rows = await db
    .selectFrom("memories")
    .select(["id", "user_id", "conversation", "audience"])
    .where(whereOwned(owned))
    .execute()
  const gone = new Map(rows.map((row) => [row.id, row]))
  const insights = await insightsOf(db, owned.scope.agent)
  for (let before = -1; before < gone.size; ) {
    before = gone.size
    for (const { row, sources } of insights) if (sources.some((source) => gone.has(source))) gone.set(row.id, row)
  }
  return [...gone.values()]
}

async function insightsOf(
  db: Queries,
  agent: string,
): Promise<readonly { readonly row: GoneMemory; readonly sources: readonly string[] }[]> {
  const rows = await db
    .selectFrom("memories")
    .select(["id", "user_id", "conversation", "audience", "body"])
    .where("agent", "=", keyText(agent))
    .where("kind", "=", "insight")
    .execute()
  return rows.map(({ body, ...row }) => ({ row, sources: ((JSON.parse(body) as StoredMemory).sources ?? []).map(keyText) }))
}

async function deleteMemories(
  db: Queries,
  agent: string,
  { gone, scopes, epoch }: { readonly gone: readonly GoneMemory[]; readonly scopes: Iterable<string>; readonly epoch: number },
): Promise<number> {
  const owner = keyText(agent)
  let vectors = 0
  for (let at = 0; at < gone.length; at += pageIds) {
    const ids = gone.slice(at, at + pageIds).map(({ id }) => id)
    const deleted = await db.deleteFrom("vectors").where("agent", "=", owner).where("memory_id", "in", ids).executeTakeFirst()
    vectors += Number(deleted.numDeletedRows)
    await db.deleteFrom("memories").where("agent", "=", owner).where("id", "in", ids).execute()
  }
  for (const scope of scopes) await setEpoch(db, agent, { scope, epoch })
  return vectors
}

/** Messages keep what their turn recalled; that goes where it may have been one of these memories. Their sessions get a new version. */
export async function dropRecalled(db: Queries, agent: string, gone: readonly GoneMemory[]): Promise<void> {
  const owner = keyText(agent)
  const groups = new Set(gone.filter(({ audience }) => audience === "group").map(({ conversation }) => conversation))
  const changed = new Map<string, SessionColumns>()
  for (const user of new Set(gone.map(({ user_id }) => user_id)))
    await strip(db, withRecalled(db, owner).where("speaker_id", "=", user), changed)
  for (const group of groups)
    await strip(db, withRecalled(db, owner).where("conversation", "=", group).where("audience", "=", "group"), changed)
  for (const session of changed.values())
    await db
      .updateTable("sessions")
      .set(({ eb }) => ({ version: eb("version", "+", 1) }))
      .where(({ and }) => and(session))
      .execute()
}

/** Whatever can hold recalled memories, and more. */
function withRecalled(db: Queries, agent: string) {
  return db
    .selectFrom("messages")
    .select(["agent", "conversation", "audience", "position", "body"])
    .where("agent", "=", agent)
    .where("body", "like", '%"recalled"%')
}

async function strip(
  db: Queries,
  messages: ReturnType<typeof withRecalled>,
  changed: Map<string, SessionColumns>,
): Promise<void> {
  for (const { body, position, ...session } of await messages.execute()) {
    const { recalled, ...rest } = JSON.parse(body) as HistoryMessage
    if (recalled === undefined) continue
    changed.set(JSON.stringify(session), session)
    await db
      .updateTable("messages")
      .set({ body: JSON.stringify(rest) })
      .where(({ and }) => and(session))
      .where("position", "=", position)
      .execute()
  }
}
