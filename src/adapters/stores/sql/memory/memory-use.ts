import { usedAgain } from "../../../../memory/services/store/memory-again.ts"
import type { MemoryRecords } from "../../../../memory/services/store/records.ts"
import { aboutUser, keyText } from "../key-columns.ts"
import type { Queries } from "../sql-tables.ts"
import { memoryOf, memoryRow } from "./memory-rows.ts"
import { inScope, lockScope, userScope } from "./memory-scope.ts"
import { markChanged } from "./memory-vectors.ts"

/** Notes that memories of the key's scope were used at a moment. */
export async function markUsed(
  db: Queries,
  ids: readonly string[],
  { atMs, key }: Parameters<MemoryRecords["markUsed"]>[1],
): Promise<void> {
  const names = [...new Set(ids)].map(keyText)
  if (names.length === 0) return
  const seen = () =>
    db
      .selectFrom("memories")
      .select(["agent", "id", "hash", "body", "superseded_by"])
      .where(inScope(key))
      .where("id", "in", names)
      .execute()
  // All users are locked before any group, in one order; then nobody else changes these rows, so they are read again.
  const users = new Set((await seen()).map((row) => memoryOf(row).user))
  for (const user of [...users].sort()) await lockScope(db, key.agent, userScope(user))
  for (const row of users.size === 0 ? [] : await seen()) {
    const memory = memoryOf(row)
    const used = usedAgain(memory, atMs)
    if (used === memory || !users.has(memory.user)) continue
    const { body } = memoryRow(used, row.hash)
    await db.updateTable("memories").set({ body }).where(aboutUser(memory)).where("id", "=", row.id).execute()
    await markChanged(db, used)
  }
}
