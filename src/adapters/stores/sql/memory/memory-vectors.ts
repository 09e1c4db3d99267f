import type { ServiceKey } from "../../../../core/conversation.ts"
import type { StoredMemory, StoredVector } from "../../../../memory/services/store/records.ts"
import { vectorBytes, vectorValues } from "../../../../memory/services/store/store-row.ts"
import { aboutUser, fromKeyText, having, keyText } from "../key-columns.ts"
import { bytesChecksum, damagedRow } from "../row-body.ts"
import type { Queries, Tables } from "../sql-tables.ts"
import { memoryOf } from "./memory-rows.ts"
import { inScope, lockScope, nextInGroup, setSequence, userScope } from "./memory-scope.ts"

const pageIds = 500

/**
 * Stores vectors of memories in the key's scope and marks these memories as changed. Vectors of other memories are left out. A vector
 * replaces the one of the same memory and model.
 */
export async function putVectors(db: Queries, vectors: readonly StoredVector[], key: ServiceKey): Promise<void> {
  const seen = await seenMemories(db, vectors, key)
  // All users are locked before any group, in one order: so two transactions never wait for each other.
  for (const user of new Set([...seen.values()].map(({ user }) => user).sort())) await lockScope(db, key.agent, userScope(user))
  for (const vector of vectors) {
    const memory = seen.get(vector.memoryId)
    if (memory === undefined) continue
    await putVector(db, key.agent, vector)
    await markChanged(db, memory)
  }
}

/** Adds a vector, or replaces it. */
export async function putVector(db: Queries, agent: string, { memoryId, model, values }: StoredVector): Promise<void> {
  const vector = vectorBytes(values)
  const value = { dimensions: values.length, vector, checksum: bytesChecksum(vector) }
  await db
    .insertInto("vectors")
    .values({ agent: keyText(agent), memory_id: keyText(memoryId), model: keyText(model), ...value })
    .onConflict((conflict) => conflict.columns(["agent", "memory_id", "model"]).doUpdateSet(value))
    .execute()
}

/** The values of a vector's row. Throws `store` with the row's name if it has another checksum. */
export function readVector(row: Pick<Tables["vectors"], "agent" | "memory_id" | "model" | "vector" | "checksum">): Float32Array {
  const { vector, checksum, agent, memory_id, model } = row
  if (checksum !== null && checksum !== bytesChecksum(vector))
    throw damagedRow({ table: "vectors", columns: { agent, memory_id, model } }, "a vector with another checksum")
  return vectorValues(vector)
}

/** The memories of these vectors that lie in the key's scope, by id. */
async function seenMemories(db: Queries, vectors: readonly StoredVector[], key: ServiceKey) {
  const ids = [...new Set(vectors.map(({ memoryId }) => keyText(memoryId)))]
  const seen = new Map<string, StoredMemory>()
  for (let at = 0; at < ids.length; at += pageIds) {
    const page = ids.slice(at, at + pageIds)
    const found = db
      .selectFrom("memories")
      .select(["agent", "id", "body", "superseded_by"])
      .where(inScope(key))
      .where("id", "in", page)
    for (const memory of (await found.execute()).map(memoryOf)) seen.set(memory.id, memory)
  }
  return seen
}

/** Gives a memory the next number in each of its scopes, so that readers of changes see it again. */
export async function markChanged(db: Queries, memory: StoredMemory): Promise<void> {
  const { agent, user, audience, id } = memory
  const user_sequence = (await lockScope(db, agent, userScope(user))).sequence + 1
  await setSequence(db, agent, userScope(user), user_sequence)
  const group = audience === "group" ? { group_sequence: await nextInGroup(db, memory) } : {}
  const change = { user_sequence, ...group }
  await db.updateTable("memories").set(change).where(aboutUser(memory)).where("id", "=", keyText(id)).execute()
}

/** The vectors of these memories, as far as they lie in the key's scope, in the order of the ids. */
export async function readVectors(db: Queries, ids: readonly string[], model: string, key: ServiceKey) {
  const found: StoredVector[] = []
  for (let at = 0; at < ids.length; at += pageIds) {
    const page = ids.slice(at, at + pageIds)
    const seen = db.selectFrom("memories").select("id").where(inScope(key)).where("id", "in", page.map(keyText))
    const ofModel = having({ agent: keyText(key.agent), model: keyText(model) })
    const vectors = db.selectFrom("vectors").selectAll().where(ofModel)
    const rows = await vectors.where("memory_id", "in", seen).execute()
    const byId = new Map(rows.map((row) => [fromKeyText(row.memory_id), row]))
    for (const memoryId of page) {
      const row = byId.get(memoryId)
      if (row) found.push({ memoryId, model, values: readVector(row) })
    }
  }
  return found
}

/** The memories of the key's scope that hold and have no vector of a model, oldest first. */
export async function memoriesWithoutVector(db: Queries, model: string, key: ServiceKey, limit: number) {
  const seen = db.selectFrom("memories").select(["agent", "id", "body", "superseded_by"]).where(inScope(key))
  const missing = seen.where("superseded_by", "is", null).where(({ not, exists, selectFrom }) => {
    const ofMemory = selectFrom("vectors").select("vectors.memory_id").whereRef("vectors.memory_id", "=", "memories.id")
    return not(exists(ofMemory.whereRef("vectors.agent", "=", "memories.agent").where("vectors.model", "=", keyText(model))))
  })
  const rows = await missing.orderBy("at_ms").orderBy("id").limit(Math.max(0, limit)).execute()
  return rows.map(memoryOf)
}
