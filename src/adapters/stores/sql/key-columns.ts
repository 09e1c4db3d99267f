import type { Expression, SqlBool } from "kysely"
import type { SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { parsedJson } from "../../../core/json-access.ts"
import { keyText } from "../../../memory/services/store/row-keys.ts"
import type { SessionColumns } from "../../../memory/services/store/rows/row-tables.ts"
import { damagedHint } from "./row-body.ts"

/** The string that {@link keyText} was given. Throws `store` for a text that it never makes. */
export function fromKeyText(text: string): string {
  if (!text.startsWith('"')) return text
  const value = parsedJson(text)
  if (typeof value === "string") return value
  const message = `Expected a key that was written, found ${JSON.stringify(text)}. A row of the store is damaged.`
  throw new PromptStrataError("store", message, { hint: damagedHint })
}

/** The columns that name a session. Every row of the session holds them, and every statement about it asks for them. */
export function sessionColumns({ agent, conversation, audience }: SessionKey): SessionColumns {
  return { agent: keyText(agent), conversation: keyText(conversation), audience }
}

/** The names of {@link sessionColumns}, for statements that are prepared. */
export const keyNames = ["agent", "conversation", "audience"] as const satisfies readonly (keyof SessionColumns)[]

/** The condition that a row has these values, for `where`. */
export function having<Columns>(columns: Columns) {
  return ({ and }: { and(columns: Columns): Expression<SqlBool> }): Expression<SqlBool> => and(columns)
}

/** The condition that a row belongs to a session. */
export const inSession = (key: SessionKey) => having(sessionColumns(key))
