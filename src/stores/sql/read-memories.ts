import type { ServiceKey } from "../../core/keys.ts"
import type { MemoryChanges, MemoryCursor, StoredMemory } from "../../services/store/records.ts"
import { keyText } from "./key-text.ts"
import { memoryOf } from "./memory-row.ts"
import { scopeColumns, scopeOf, scopeState } from "./memory-scope.ts"
import type { Queries } from "./tables.ts"

/** A memory that the key sees, also a superseded one. */
export async function getMemory(db: Queries, id: string, key: ServiceKey): Promise<StoredMemory | undefined> {
  const row = await ofScope(db, key).where("id", "=", keyText(id)).executeTakeFirst()
  return row && memoryOf(row)
}

/** What changed in the key's scope since a cursor. */
export async function memoryChanges(
  db: Queries,
  key: ServiceKey,
  { after, limit }: { readonly after?: MemoryCursor | undefined; readonly limit: number },
): Promise<MemoryChanges> {
  const { epoch } = await scopeState(db, key.agent, scopeOf(key))
  const reset = after !== undefined && after.epoch !== epoch
  const from = after === undefined || reset ? 0 : after.sequence
  const number = sequenceColumn(key)
  const rows = await ofScope(db, key).where(number, ">", from).orderBy(number).limit(Math.max(0, limit)).execute()
  const sequence = rows.at(-1)?.[number] ?? from
  return { cursor: { epoch, sequence }, reset, memories: rows.map(memoryOf) }
}

/** The newest of the key's scope that hold, oldest first. */
export async function recentMemories(
  db: Queries,
  key: ServiceKey,
  { limit, kinds }: { readonly limit: number; readonly kinds?: readonly StoredMemory["kind"][] },
): Promise<readonly StoredMemory[]> {
  let held = ofScope(db, key).where("superseded_by", "is", null)
  if (kinds !== undefined) held = held.where("kind", "in", [...kinds])
  const rows = await held.orderBy("at_ms", "desc").orderBy("id", "desc").limit(Math.max(0, limit)).execute()
  return rows.map(memoryOf).reverse()
}

/** Rows of the key's scope. */
function ofScope(db: Queries, key: ServiceKey) {
  return db
    .selectFrom("memories")
    .select(["body", "superseded_by", "user_sequence", "group_sequence"])
    .where(({ and }) => and(scopeColumns(key)))
}

/** The column that numbers the memories of the key's scope. */
function sequenceColumn({ audience }: ServiceKey): "group_sequence" | "user_sequence" {
  return audience === "group" ? "group_sequence" : "user_sequence"
}
