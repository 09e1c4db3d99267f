import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from "kysely"
import type { SessionKey } from "../../../../core/conversation.ts"
import type { StoreScope } from "../../../../memory/services/store/store.ts"
import { fromKeyText, inSession, keyText } from "../key-columns.ts"
import type { OwnedKeys } from "../sql-database.ts"
import { messageTables, type Queries, type Tables } from "../sql-tables.ts"

/** A session that a scope owns as a whole, or of which it owns the turns of its user. */
export interface OwnedSession {
  readonly key: SessionKey
  readonly owns: "whole" | "part"
}

/** The sessions of a scope. */
export async function ownedSessions(db: Queries, scope: StoreScope): Promise<readonly OwnedSession[]> {
  const agent = keyText(scope.agent)
  if ("user" in scope) {
    const found = new Map<string, OwnedSession>()
    for (const table of messageTables) {
      const messages = db.selectFrom(table).select(["conversation", "audience"]).distinct().where("agent", "=", agent)
      const spoken = await messages.where("speaker_id", "=", keyText(scope.user)).where("role", "=", "user").execute()
      for (const row of spoken) {
        const owns = row.audience === "private" ? "whole" : "part"
        found.set(JSON.stringify(row), { key: keyOf(scope.agent, row), owns })
      }
    }
    return [...found.values()]
  }
  let rows = db.selectFrom("sessions").select(["conversation", "audience"]).where("agent", "=", agent)
  if ("conversation" in scope) rows = rows.where("conversation", "=", keyText(scope.conversation))
  return (await rows.execute()).map((row) => ({ key: keyOf(scope.agent, row), owns: "whole" }))
}

function keyOf(agent: string, { conversation, audience }: Pick<SessionKey, "conversation" | "audience">): SessionKey {
  return { agent, conversation: fromKeyText(conversation), audience }
}

/** The keys that a scope owns, given its sessions. */
export function ownedKeys(scope: StoreScope, sessions: readonly OwnedSession[]): OwnedKeys {
  const whole = "user" in scope ? sessions.filter(({ owns }) => owns === "whole") : []
  return { scope, privateConversations: whole.map(({ key }) => key.conversation) }
}

type KeyedTable = "memories" | "receipts"

/** The condition that a memory or receipt belongs to a scope. */
export function whereOwned({ scope, privateConversations }: OwnedKeys) {
  return ({ and, or, eb }: ExpressionBuilder<Tables, KeyedTable>): ExpressionWrapper<Tables, KeyedTable, SqlBool> => {
    const agent = eb("agent", "=", keyText(scope.agent))
    if ("conversation" in scope) return and([agent, eb("conversation", "=", keyText(scope.conversation))])
    if (!("user" in scope)) return and([agent])
    const own = eb("user_id", "=", keyText(scope.user))
    if (privateConversations.length === 0) return and([agent, own])
    const within = eb("conversation", "in", privateConversations.map(keyText))
    return and([agent, or([own, and([eb("audience", "=", "private"), within])])])
  }
}

/** The turns of a session in which a user spoke, in one of the tables of messages, as a part of a statement. */
export function turnsOf(db: Queries, table: (typeof messageTables)[number], key: SessionKey, user: string) {
  const turns = db.selectFrom(table).select("turn_id").distinct().where(inSession(key))
  return turns.where("speaker_id", "=", keyText(user)).where("role", "=", "user")
}

/** The ids of all turns of a session in which a user spoke. */
export async function spokenTurns(db: Queries, key: SessionKey, user: string): Promise<ReadonlySet<string>> {
  const rows: { readonly turn_id: string }[] = []
  for (const table of messageTables) rows.push(...(await turnsOf(db, table, key, user).execute()))
  return new Set(rows.map(({ turn_id }) => fromKeyText(turn_id)))
}
