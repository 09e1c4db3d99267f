import type { SessionKey } from "../../core/keys.ts"
import { sessionColumns } from "./key-columns.ts"
import { keyText } from "./key-text.ts"
import type { Queries } from "./tables.ts"

/** The turns of a session in which a user spoke, as its columns have them. */
export function turnsOf(db: Queries, key: SessionKey, user: string) {
  return db
    .selectFrom("messages")
    .select("turn_id")
    .distinct()
    .where(({ and }) => and(sessionColumns(key)))
    .where("speaker_id", "=", keyText(user))
    .where("role", "=", "user")
}
