import type { Expression, SqlBool } from "kysely"
import type { ServiceKey, SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { parsedJson } from "../../../core/json-access.ts"
import { damagedHint } from "./row-body.ts"
import type { SessionColumns, UserColumns } from "./sql-tables.ts"

/**
 * Turns any string into text that every database stores unchanged. Databases refuse or replace NUL and lone surrogates, so a string
 * with one of them becomes JSON; so does one that begins with a quotation mark. Two strings never become the same text.
 * {@link fromKeyText} is the inverse.
 */
export function keyText(value: string): string {
  return value.startsWith('"') || value.includes("\0") || !value.isWellFormed() ? JSON.stringify(value) : value
}

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

/** The columns that name a user of an agent. */
export function userColumns({ agent, user }: Pick<ServiceKey, "agent" | "user">): UserColumns {
  return { agent: keyText(agent), user_id: keyText(user) }
}

/** The names of {@link userColumns}, for statements that are prepared. */
export const userNames = ["agent", "user_id"] as const satisfies readonly (keyof UserColumns)[]

/** The condition that a row has these values, for `where`. */
export function having<Columns>(columns: Columns) {
  return ({ and }: { and(columns: Columns): Expression<SqlBool> }): Expression<SqlBool> => and(columns)
}

/** The condition that a row belongs to a session. */
export const inSession = (key: SessionKey) => having(sessionColumns(key))

/** The condition that a row is about a user of an agent. */
export const aboutUser = (key: Pick<ServiceKey, "agent" | "user">) => having(userColumns(key))
