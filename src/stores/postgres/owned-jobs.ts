import type { RawBuilder, Sql } from "kysely"
import { keyText } from "../sql/key-text.ts"
import type { OwnedKeys } from "../sql/sql-database.ts"
import { deadQueue, queuePrefix } from "./job-names.ts"

/** The condition on pg-boss' rows that are jobs of a scope, done ones too. */
export function isOwned(sql: Sql, { scope, privateConversations }: OwnedKeys): RawBuilder<boolean> {
  const agent = sql`(name = ${deadQueue} or starts_with(name, ${queuePrefix})) and data->>'agent' = ${keyText(scope.agent)}`
  if ("conversation" in scope) return sql`(${agent} and data->>'conversation' = ${keyText(scope.conversation)})`
  if (!("user" in scope)) return sql`(${agent})`
  const own = sql`data->>'user' = ${keyText(scope.user)}`
  const within = sql`(data->>'audience' = 'private' and data->>'conversation' = any(${privateConversations.map(keyText)}))`
  return sql`(${agent} and (${own} or ${within}))`
}
