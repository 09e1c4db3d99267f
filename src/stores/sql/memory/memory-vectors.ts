import type { ServiceKey } from "../../../core/keys.ts"
import type { StoredMemory, StoredVector } from "../../../services/stored-memory.ts"
import { fromKeyText, keyText, userColumns } from "../key-columns.ts"
import type { Queries } from "../sql-tables.ts"
import { memoryOf, vectorBytes, vectorValues } from "./memory-rows.ts"
import { lockScope, nextInGroup, scopeColumns, setSequence, userScope } from "./memory-scope.ts"

/**
 * Keeps vectors of memories that the key sees, which thereby change; those of other memories are left out. One of the same
 * memory and model is replaced.
 */
export async function putVectors(db: Queries, vectors: readonly StoredVector[], key: ServiceKey): Promise<void> {
  const seen = await seenMemories(db, vectors, key)
  // All users before any group, as everybody locks them.
  for (const user of new Set([...seen.values()].map(({ user }) => user).sort())) await lockScope(db, key.agent, userScope(user))
  for (const { memoryId, model, values } of vectors) {
    const memory = seen.get(memoryId)
    if (memory === undefined) continue
    await putVector(db, key.agent, { memoryId, model, values })
    await markChanged(db, memory)
  }
}

/** Adds a vector, or replaces it. */
export async function putVector(db: Queries, agent: string, { memoryId, model, values }: StoredVector): Promise<void> {
  const value = { dimensions: values.length, vector: vectorBytes(values) }
  await db
    .insertInto("vectors")
    .values({ agent: keyText(agent), memory_id: keyText(memoryId), model: keyText(model), ...value })
    .onConflict((conflict) => conflict.columns(["agent", "memory_id", "model"]).doUpdateSet(value))
    .execute()
}

async function seenMemories(
  db: Queries,
  vectors: readonly StoredVector[],
  key: ServiceKey,
): Promise<ReadonlyMap<string, StoredMemory>> {
  const ids = [...new Set(vectors.map(({ memoryId }) => keyText(memoryId)))]
  const seen = new Map<string, StoredMemory>()
  for (let at = 0; at < ids.length; at += pageIds) {
    const rows = await db
      .selectFrom("memories")
      .select(["body", "superseded_by"])
      .where(({ and }) => and(scopeColumns(key)))
      .where("id", "in", ids.slice(at, at + pageIds))
      .execute()
    for (const row of rows) seen.set(memoryOf(row).id, memoryOf(row))
  }
  return seen
}

/** Gives a memory the next number of each of its scopes, so that who reads along sees it again. */
export async function markChanged(db: Queries, memory: StoredMemory): Promise<void> {
  const { agent, user, audience, id } = memory
  const { sequence } = await lockScope(db, agent, userScope(user))
  await setSequence(db, agent, userScope(user), sequence + 1)
  const group = audience === "group" ? { group_sequence: await nextInGroup(db, memory) } : {}
  await db
    .updateTable("memories")
    .set({ user_sequence: sequence + 1, ...group })
    .where(({ and }) => and(userColumns(memory)))
    .where("id", "=", keyText(id))
    .execute()
}

/** Vectors of these memories, as far as the key sees them. */
export async function readVectors(
  db: Queries,
  { ids, model }: { readonly ids: readonly string[]; readonly model: string },
  key: ServiceKey,
): Promise<readonly StoredVector[]> {
  const found: StoredVector[] = []
  for (let at = 0; at < ids.length; at += pageIds) {
    const rows = await vectorRows(db, ids.slice(at, at + pageIds), { model, key })
    const byId = new Map(rows.map((row) => [fromKeyText(row.memory_id), row.vector]))
    for (const memoryId of ids.slice(at, at + pageIds)) {
      const vector = byId.get(memoryId)
      if (vector) found.push({ memoryId, model, values: vectorValues(vector) })
    }
  }
  return found
}

/** Memories of the key's scope that hold and have no vector of a model, oldest first. */
export async function memoriesWithoutVector(
  db: Queries,
  { model, limit }: { readonly model: string; readonly limit: number },
  key: ServiceKey,
): Promise<readonly StoredMemory[]> {
  const rows = await db
    .selectFrom("memories")
    .select(["body", "superseded_by"])
    .where(({ and }) => and(scopeColumns(key)))
    .where("superseded_by", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("vectors")
            .select("vectors.memory_id")
            .whereRef("vectors.agent", "=", "memories.agent")
            .whereRef("vectors.memory_id", "=", "memories.id")
            .where("vectors.model", "=", keyText(model)),
        ),
      ),
    )
    .orderBy("at_ms")
    .orderBy("id")
    .limit(Math.max(0, limit))
    .execute()
  return rows.map(memoryOf)
}

const pageIds = 500

function vectorRows(db: Queries, ids: readonly string[], { model, key }: { readonly model: string; readonly key: ServiceKey }) {
  return db
    .selectFrom("vectors")
    .select(["memory_id", "vector"])
    .where("agent", "=", keyText(key.agent))
    .where("model", "=", keyText(model))
    .where("memory_id", "in", ({ selectFrom }) =>
      selectFrom("memories")
        .select("id")
        .where(({ and }) => and(scopeColumns(key)))
        .where("id", "in", ids.map(keyText)),
    )
    .execute()
}
