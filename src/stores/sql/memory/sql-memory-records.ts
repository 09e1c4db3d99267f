import type { ServiceKey } from "../../../core/keys.ts"
import { checkKey } from "../../../services/in-memory-store/memory-row.ts"
import type { MemoryChanges, MemoryCursor, MemoryRecords } from "../../../services/store.ts"
import type { StoredMemory } from "../../../services/stored-memory.ts"
import { fromKeyText, keyText, userColumns } from "../key-columns.ts"
import type { SqlDatabase } from "../sql-database.ts"
import type { Queries } from "../sql-tables.ts"
import { memoryOf, memoryRow } from "./memory-rows.ts"
import { lockScope, nextInGroup, scopeColumns, scopeOf, scopeState, setSequence, userScope } from "./memory-scope.ts"
import { memoriesWithoutVector, putVectors, readVectors } from "./memory-vectors.ts"

/** Memories in a database. */
export function createSqlMemoryRecords({ read, write }: SqlDatabase): MemoryRecords {
  return {
    put: (memory, options) => write((db) => putMemory(db, memory, options)),
    get: (id, key) => read((db) => getMemory(db, id, key)),
    changes: (key, options) => read((db) => memoryChanges(db, key, options)),
    recent: (key, options) => read((db) => recentMemories(db, key, options)),
    putVectors: (vectors, key) => write((db) => putVectors(db, vectors, key)),
    vectors: (ids, model, key) => read((db) => readVectors(db, { ids, model }, key)),
    withoutVector: (model, key, limit) => read((db) => memoriesWithoutVector(db, { model, limit }, key)),
  }
}

type PutOptions = Parameters<MemoryRecords["put"]>[1]

/** Keeps a memory within a transaction, once, and marks what it supersedes. */
async function putMemory(
  db: Queries,
  memory: StoredMemory,
  { hash, supersedes = [], key }: PutOptions,
): Promise<{ readonly stored: boolean; readonly id: string }> {
  checkKey(memory, key)
  const { agent, user } = memory
  const ofUser = await lockScope(db, agent, userScope(user))
  const known = await knownAs(db, memory, hash)
  if (known !== undefined) return { stored: false, id: known }
  let sequence = ofUser.sequence
  for (const old of await supersededIds(db, supersedes, memory)) {
    sequence += 1
    await supersede(db, old, { by: memory, sequence })
  }
  sequence += 1
  await insertMemory(db, memory, { hash, sequence })
  await setSequence(db, agent, userScope(user), sequence)
  return { stored: true, id: memory.id }
}

/** Adds a memory with its number among its user's, and a number among its group's. */
export async function insertMemory(
  db: Queries,
  memory: StoredMemory,
  { hash, sequence }: { readonly hash: string; readonly sequence: number },
): Promise<void> {
  const group = memory.audience === "group" ? await nextInGroup(db, memory) : null
  await db
    .insertInto("memories")
    .values({ ...memoryRow(memory, hash), user_sequence: sequence, group_sequence: group })
    .execute()
}

/** Under which id the memory is known already: its own, or that of one which says the same and still holds. */
async function knownAs(db: Queries, memory: StoredMemory, hash: string): Promise<string | undefined> {
  const same = await db
    .selectFrom("memories")
    .select("id")
    .where("agent", "=", keyText(memory.agent))
    .where("id", "=", keyText(memory.id))
    .executeTakeFirst()
  if (same) return memory.id
  const alike = await ownedWith(db, memory).where("hash", "=", keyText(hash)).orderBy("user_sequence").limit(1).executeTakeFirst()
  return alike && fromKeyText(alike.id)
}

/** Of these ids those that still hold and belong where the memory does: to its user, in private or in its group. */
async function supersededIds(db: Queries, ids: readonly string[], memory: StoredMemory): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const rows = await ownedWith(db, memory).where("id", "in", ids.map(keyText)).orderBy("user_sequence").execute()
  return rows.map(({ id }) => id)
}

/** Memories that hold, of which the given one may be a duplicate, or take the place. */
function ownedWith(db: Queries, memory: StoredMemory) {
  const rows = db
    .selectFrom("memories")
    .select("id")
    .where(({ and }) => and(userColumns(memory)))
    .where("audience", "=", memory.audience)
    .where("superseded_by", "is", null)
  return memory.audience === "group" ? rows.where("conversation", "=", keyText(memory.conversation)) : rows
}

async function supersede(
  db: Queries,
  id: string,
  { by, sequence }: { readonly by: StoredMemory; readonly sequence: number },
): Promise<void> {
  const group = by.audience === "group" ? { group_sequence: await nextInGroup(db, by) } : {}
  await db
    .updateTable("memories")
    .set({ superseded_by: keyText(by.id), user_sequence: sequence, ...group })
    .where(({ and }) => and(userColumns(by)))
    .where("id", "=", id)
    .execute()
}

/** A memory that the key sees, also a superseded one. */
async function getMemory(db: Queries, id: string, key: ServiceKey): Promise<StoredMemory | undefined> {
  const row = await ofScope(db, key).where("id", "=", keyText(id)).executeTakeFirst()
  return row && memoryOf(row)
}

/** What changed in the key's scope since a cursor. */
async function memoryChanges(
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
async function recentMemories(
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
