import type { ServiceKey, SessionKey } from "../../core/keys.ts"
import { keyText } from "./key-text.ts"
import type { SessionColumns, UserColumns } from "./tables.ts"

/** The columns that name a session: what its rows hold and what each statement about it asks for. */
export function sessionColumns({ agent, conversation, audience }: SessionKey): SessionColumns {
  return { agent: keyText(agent), conversation: keyText(conversation), audience }
}

/** The columns that name a user of an agent. */
export function userColumns({ agent, user }: Pick<ServiceKey, "agent" | "user">): UserColumns {
  return { agent: keyText(agent), user_id: keyText(user) }
}
