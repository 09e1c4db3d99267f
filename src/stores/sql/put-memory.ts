import type { MemoryRecords, StoredMemory } from "../../services/store/records.ts"
import { checkKey } from "../../services/store/row-keys.ts"
import { userColumns } from "./key-columns.ts"
import { fromKeyText, keyText } from "./key-text.ts"
import { memoryRow } from "./memory-row.ts"
import { lockScope, nextInGroup, setSequence, userScope } from "./memory-scope.ts"
import type { Queries } from "./tables.ts"

type PutOptions = Parameters<MemoryRecords["put"]>[1]

/** Keeps a memory within a transaction, once, and marks what it supersedes. */
export async function putMemory(
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
