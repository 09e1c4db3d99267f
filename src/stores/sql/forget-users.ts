import type { ForgetReport, StoreScope } from "../../services/store/store.ts"
import { keyText } from "./key-text.ts"
import type { Queries } from "./tables.ts"

/** Deletes what users of the scope said of themselves; a user of whom only a part goes gets a new version. */
export async function forgetUsers(db: Queries, scope: StoreScope): Promise<ForgetReport> {
  const agent = keyText(scope.agent)
  if ("conversation" in scope) return forgetWithin(db, agent, keyText(scope.conversation))
  let statements = db.deleteFrom("statements").where("agent", "=", agent)
  let users = db.deleteFrom("users").where("agent", "=", agent)
  if ("user" in scope) {
    statements = statements.where("user_id", "=", keyText(scope.user))
    users = users.where("user_id", "=", keyText(scope.user))
  }
  const statement = Number((await statements.executeTakeFirst()).numDeletedRows)
  return { user: Number((await users.executeTakeFirst()).numDeletedRows), statement }
}

async function forgetWithin(db: Queries, agent: string, conversation: string): Promise<ForgetReport> {
  await db
    .updateTable("users")
    .set(({ eb }) => ({ version: eb("version", "+", 1) }))
    .where("agent", "=", agent)
    .where(
      "user_id",
      "in",
      db.selectFrom("statements").select("user_id").where("agent", "=", agent).where("conversation", "=", conversation),
    )
    .execute()
  const deleted = await db
    .deleteFrom("statements")
    .where("agent", "=", agent)
    .where("conversation", "=", conversation)
    .executeTakeFirst()
  return { user: 0, statement: Number(deleted.numDeletedRows) }
}
