import type { StoredVector } from "../../services/store/records.ts"
import type { StoreRow } from "../../services/store/store-row.ts"
import { keyText } from "./key-text.ts"
import { memoryOf } from "./memory-row.ts"
import { lockScope, setSequence, userScope } from "./memory-scope.ts"
import { markChanged, putVector } from "./memory-vectors.ts"
import { insertMemory } from "./put-memory.ts"
import type { Queries } from "./tables.ts"

/** Puts a memory as an export has it; false where its id is known. */
export async function restoreMemory(
  db: Queries,
  { memory, hash }: Pick<StoreRow & { readonly table: "memory" }, "memory" | "hash">,
): Promise<boolean> {
  const { agent, user, id } = memory
  const { sequence } = await lockScope(db, agent, userScope(user))
  if ((await rowOf(db, agent, id)) !== undefined) return false
  await insertMemory(db, memory, { hash, sequence: sequence + 1 })
  await setSequence(db, agent, userScope(user), sequence + 1)
  return true
}

/** Puts a vector as an export has it; false where it is known, or its memory is not. */
export async function restoreVector(db: Queries, agent: string, vector: StoredVector): Promise<boolean> {
  const row = await rowOf(db, agent, vector.memoryId)
  if (row === undefined) return false
  const known = await db
    .selectFrom("vectors")
    .select("model")
    .where("agent", "=", keyText(agent))
    .where("memory_id", "=", keyText(vector.memoryId))
    .where("model", "=", keyText(vector.model))
    .executeTakeFirst()
  if (known !== undefined) return false
  await putVector(db, agent, vector)
  await markChanged(db, memoryOf(row))
  return true
}

function rowOf(db: Queries, agent: string, id: string) {
  return db
    .selectFrom("memories")
    .select(["body", "superseded_by"])
    .where("agent", "=", keyText(agent))
    .where("id", "=", keyText(id))
    .executeTakeFirst()
}
