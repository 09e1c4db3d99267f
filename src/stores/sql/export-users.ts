import type { ProfileStatement } from "../../services/store/records.ts"
import { compareTexts } from "../../services/store/row-keys.ts"
import type { StoreScope } from "../../services/store/store.ts"
import type { StoreRow } from "../../services/store/store-row.ts"
import { fromKeyText, keyText } from "./key-text.ts"
import type { Queries } from "./tables.ts"

/** Users of whom the scope owns statements, each followed by those. */
export async function exportUsers(db: Queries, scope: StoreScope): Promise<readonly StoreRow[]> {
  const { agent } = scope
  let owned = db
    .selectFrom("statements")
    .innerJoin("users", (join) =>
      join.onRef("users.agent", "=", "statements.agent").onRef("users.user_id", "=", "statements.user_id"),
    )
    .select(["statements.user_id", "users.version", "statements.body"])
    .where("statements.agent", "=", keyText(agent))
  if ("user" in scope) owned = owned.where("statements.user_id", "=", keyText(scope.user))
  if ("conversation" in scope) owned = owned.where("statements.conversation", "=", keyText(scope.conversation))
  const rows = await owned.orderBy("statements.user_id").orderBy("statements.position").execute()
  const users = new Map<string, StoreRow[]>()
  for (const { user_id, version, body } of rows) {
    const user = fromKeyText(user_id)
    const own = users.get(user) ?? [{ table: "user", agent, user, version }]
    own.push({ table: "statement", agent, user, statement: JSON.parse(body) as ProfileStatement })
    users.set(user, own)
  }
  return [...users].sort(([a], [b]) => compareTexts([a], [b])).flatMap(([, own]) => own)
}
