import type { ForgetReport, StoreScope } from "../../services/store/store.ts"
import { dropRecalled } from "./drop-recalled.ts"
import { forgetMemories } from "./forget-memories.ts"
import { forgetSessions } from "./forget-sessions.ts"
import { forgetUsers } from "./forget-users.ts"
import { ownedKeys, ownedSessions, whereOwned } from "./owned-rows.ts"
import type { SqlJobs } from "./sql-database.ts"
import type { Queries } from "./tables.ts"

/** Deletes what belongs to a scope within a transaction, and what rests on it. */
export async function forgetRows(db: Queries, jobs: SqlJobs, scope: StoreScope): Promise<ForgetReport> {
  const sessions = await ownedSessions(db, scope)
  const owned = ownedKeys(scope, sessions)
  const job = await jobs.forget(db, owned)
  const { memories, vectors } = await forgetMemories(db, owned)
  const receipt = await db.deleteFrom("receipts").where(whereOwned(owned)).executeTakeFirst()
  const report = {
    ...(await forgetSessions(db, sessions, scope)),
    memory: memories.length,
    vector: vectors,
    ...(await forgetUsers(db, scope)),
    receipt: Number(receipt.numDeletedRows),
    job,
  }
  await dropRecalled(db, scope.agent, memories)
  return report
}
