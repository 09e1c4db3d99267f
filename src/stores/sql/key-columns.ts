import type { ServiceKey, SessionKey } from "../../core/keys.ts"
import type { SessionColumns, UserColumns } from "./sql-tables.ts"

/** The columns that name a session: what its rows hold and what each statement about it asks for. */
export function sessionColumns({ agent, conversation, audience }: SessionKey): SessionColumns {
  return { agent: keyText(agent), conversation: keyText(conversation), audience }
}

/** The columns that name a user of an agent. */
export function userColumns({ agent, user }: Pick<ServiceKey, "agent" | "user">): UserColumns {
  return { agent: keyText(agent), user_id: keyText(user) }
}

/**
 * Any string as text that every database keeps as it is: one with NUL or half a character, which databases refuse or replace, and
 * one that begins with a quotation mark become JSON. So two strings are never one row's key. {@link fromKeyText} is its inverse.
 */
export function keyText(value: string): string {
  return value.startsWith('"') || value.includes("\0") || !value.isWellFormed() ? JSON.stringify(value) : value
}

/** The string that {@link keyText} was given. */
export function fromKeyText(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}
