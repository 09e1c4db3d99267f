import type { ServiceKey } from "../../../../core/conversation.ts"
import { saidAgain } from "../../../../memory/services/store/memory-again.ts"
import { type MemoryRecords, type StoredMemory, turnGone } from "../../../../memory/services/store/records.ts"
import { checkKey } from "../../../../memory/services/store/row-keys.ts"
import { aboutUser, fromKeyText, keyText } from "../key-columns.ts"
import { expectTurn } from "../session/read-session.ts"
import type { SqlDatabase } from "../sql-database.ts"
import type { Queries } from "../sql-tables.ts"
import { memoryOf, memoryRow } from "./memory-rows.ts"
import { inScope, lockAgent, lockScopeOf, nextInGroup, scopeEpoch, setSequence, userScope } from "./memory-scope.ts"
import { markUsed } from "./memory-use.ts"
import { memoriesWithoutVector, putVectors, readVectors } from "./memory-vectors.ts"
import { createSqlIndexCopies } from "./sql-index-copies.ts"

/** Memories in a database, but for forgetting them, which reaches other tables. */
export function createSqlMemoryRecords(database: SqlDatabase): Omit<MemoryRecords, "forget"> {
  const { read, write } = database
  return {
    ...createSqlIndexCopies(database),
    put: (memory, options) => write((db) => putMemory(db, memory, options)),
    markUsed: (ids, options) => write((db) => markUsed(db, ids, options)),
    get: (id, key) => read((db) => getMemory(db, id, key)),
    changes: (key, options) => read((db) => memoryChanges(db, key, options)),
    recent: (key, options) => read((db) => recentMemories(db, key, options)),
    putVectors: (vectors, key) => write((db) => putVectors(db, vectors, key)),
    vectors: (ids, model, key) => read((db) => readVectors(db, ids, model, key)),
    withoutVector: (model, key, limit) => read((db) => memoriesWithoutVector(db, model, key, limit)),
  }
}

/** Stores a memory once, and marks the memories that it supersedes. */
async function putMemory(
  db: Queries,
  memory: StoredMemory,
  { hash, supersedes = [], ofTurn = false, key }: Parameters<MemoryRecords["put"]>[1],
): ReturnType<MemoryRecords["put"]> {
  checkKey(memory, key)
  if (ofTurn) await expectOrigin(db, memory)
  let { sequence } = await lockScopeOf(db, memory)
  const known = await knownAs(db, memory, hash)
  if (known !== undefined) {
    if (known !== memory.id) await keepTime(db, known, memory, sequence + 1)
    return { stored: false, id: known }
  }
  for (const old of await supersededIds(db, supersedes, memory)) {
    sequence += 1
    await supersede(db, old, memory, sequence)
  }
  await insertMemory(db, memory, hash, sequence + 1)
  return { stored: true, id: memory.id }
}

/** Throws `aborted` if the turn of a memory, or a memory that it rests on, is gone. They then stay until the transaction ends. */
async function expectOrigin(db: Queries, memory: StoredMemory): Promise<void> {
  await lockAgent(db, memory.agent)
  await expectTurn(db, memory, memory.turnId)
  const sources = [...new Set(memory.sources)].map(keyText)
  if (sources.length === 0) return
  const kept = db.selectFrom("memories").select("id").where("agent", "=", keyText(memory.agent)).where("id", "in", sources)
  if ((await kept.execute()).length < sources.length) throw turnGone(memory.turnId)
}

/** Adds a memory with its number among its user's and takes one of its group's. The user's scope must be locked. */
export async function insertMemory(db: Queries, memory: StoredMemory, hash: string, sequence: number): Promise<void> {
  const group_sequence = memory.audience === "group" ? await nextInGroup(db, memory) : null
  const row = { ...memoryRow(memory, hash), user_sequence: sequence, group_sequence }
  await db.insertInto("memories").values(row).execute()
  await setSequence(db, memory.agent, userScope(memory.user), sequence)
}

/** The id under which a memory is stored already: its own, or that of one which says the same and still holds. */
async function knownAs(db: Queries, memory: StoredMemory, hash: string): Promise<string | undefined> {
  const [agent, id] = [keyText(memory.agent), keyText(memory.id)]
  const same = await db.selectFrom("memories").select("id").where("agent", "=", agent).where("id", "=", id).executeTakeFirst()
  if (same) return memory.id
  const alike = await besides(db, memory).where("hash", "=", keyText(hash)).orderBy("user_sequence").limit(1).executeTakeFirst()
  return alike && fromKeyText(alike.id)
}

/** Keeps when the words of a known memory were said again. The user's scope must be locked. */
async function keepTime(db: Queries, id: string, said: StoredMemory, sequence: number): Promise<void> {
  const row = await db
    .selectFrom("memories")
    .select(["agent", "id", "body", "superseded_by", "hash"])
    .where(aboutUser(said))
    .where("id", "=", keyText(id))
    .executeTakeFirst()
  const memory = row && memoryOf(row)
  const again = memory && saidAgain(memory, said.atMs)
  if (again === undefined || again === memory) return
  const group = said.audience === "group" ? { group_sequence: await nextInGroup(db, said) } : {}
  const { body } = memoryRow(again, row?.hash ?? "")
  await db
    .updateTable("memories")
    .set({ body, user_sequence: sequence, ...group })
    .where(aboutUser(said))
    .where("id", "=", keyText(id))
    .execute()
  await setSequence(db, said.agent, userScope(said.user), sequence)
}

/** The ids among these that the memory can supersede. */
async function supersededIds(db: Queries, ids: readonly string[], memory: StoredMemory): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const rows = await besides(db, memory).where("id", "in", ids.map(keyText)).orderBy("user_sequence").execute()
  return rows.map(({ id }) => id)
}

/** The memories that hold and belong to the same user, in private or in the same group. */
function besides(db: Queries, memory: StoredMemory) {
  const held = db.selectFrom("memories").select("id").where(aboutUser(memory)).where("superseded_by", "is", null)
  const rows = held.where("audience", "=", memory.audience)
  return memory.audience === "group" ? rows.where("conversation", "=", keyText(memory.conversation)) : rows
}

async function supersede(db: Queries, id: string, by: StoredMemory, sequence: number): Promise<void> {
  const group = by.audience === "group" ? { group_sequence: await nextInGroup(db, by) } : {}
  const change = { superseded_by: keyText(by.id), user_sequence: sequence, ...group }
  await db.updateTable("memories").set(change).where(aboutUser(by)).where("id", "=", id).execute()
}

async function getMemory(db: Queries, id: string, key: ServiceKey): Promise<StoredMemory | undefined> {
  const row = await seenBy(db, key).where("id", "=", keyText(id)).executeTakeFirst()
  return row && memoryOf(row)
}

async function memoryChanges(db: Queries, key: ServiceKey, { after, limit }: Parameters<MemoryRecords["changes"]>[1]) {
  const epoch = await scopeEpoch(db, key)
  const reset = after !== undefined && after.epoch !== epoch
  const from = after === undefined || reset ? 0 : after.sequence
  const number = key.audience === "private" ? "user_sequence" : "group_sequence"
  const rows = await seenBy(db, key).where(number, ">", from).orderBy(number).limit(Math.max(0, limit)).execute()
  const sequence = rows.at(-1)?.[number] ?? from
  return { cursor: { epoch, sequence }, reset, memories: rows.map(memoryOf) }
}

async function recentMemories(db: Queries, key: ServiceKey, { limit, kinds }: Parameters<MemoryRecords["recent"]>[1]) {
  let held = seenBy(db, key).where("superseded_by", "is", null)
  if (kinds !== undefined) held = held.where("kind", "in", [...kinds])
  const rows = await held.orderBy("at_ms", "desc").orderBy("id", "desc").limit(Math.max(0, limit)).execute()
  return rows.map(memoryOf).reverse()
}

/** The rows of the key's scope, superseded ones too. */
function seenBy(db: Queries, key: ServiceKey) {
  return db
    .selectFrom("memories")
    .select(["agent", "id", "body", "superseded_by", "user_sequence", "group_sequence"])
    .where(inScope(key))
}
