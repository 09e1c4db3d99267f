import type { ServiceKey, SessionKey } from "../../../../core/conversation.ts"
import type { StoreScope } from "../store.ts"
import { compareSessions, messageTables, rowId, sessionOf } from "./row-tables.ts"
import type { Conditions, OwnedKeys, Rows } from "./rows.ts"

/** A session that a scope owns as a whole, or of which it owns the turns of its user. */
export interface OwnedSession {
  readonly key: SessionKey
  readonly owns: "whole" | "part"
}

/** The sessions of a scope, in the order of an export. */
export async function ownedSessions(rows: Rows, scope: StoreScope): Promise<readonly OwnedSession[]> {
  const { agent } = scope
  const found = new Map<string, OwnedSession>()
  const columns = ["conversation", "audience"] as const
  const add = (key: SessionKey, owns: OwnedSession["owns"]) => found.set(rowId(key.conversation, key.audience), { key, owns })
  if ("user" in scope) {
    const said = { agent, speaker_id: scope.user, role: "user" } as const
    for (const table of messageTables)
      for (const row of await rows.select(table, said, { columns, isDistinct: true }))
        add({ agent, ...row }, row.audience === "private" ? "whole" : "part")
  } else {
    const conversation = "conversation" in scope ? scope.conversation : undefined
    for (const row of await rows.select("sessions", { agent, conversation }, { columns })) add({ agent, ...row }, "whole")
  }
  return [...found.values()].sort((a, b) => compareSessions(a.key, b.key))
}

/** The keys that a scope owns, given its sessions. */
export function ownedKeys(scope: StoreScope, sessions: readonly OwnedSession[]): OwnedKeys {
  const whole = "user" in scope ? sessions.filter(({ owns }) => owns === "whole") : []
  return { scope, privateConversations: whole.map(({ key }) => key.conversation) }
}

/** The conditions that a row with a key belongs to a scope. */
export function whereOwned({ scope, privateConversations }: OwnedKeys) {
  const { agent } = scope
  if ("conversation" in scope) return [{ agent, conversation: scope.conversation }]
  if (!("user" in scope)) return [{ agent }]
  const own = { agent, user_id: scope.user }
  if (privateConversations.length === 0) return [own]
  return [own, { agent, audience: "private", conversation: { in: privateConversations } }] satisfies Conditions<"memories">[]
}

/** True for a key that a scope owns. */
export function isOwned(
  { scope, privateConversations }: OwnedKeys,
  { agent, user, conversation, audience }: ServiceKey,
): boolean {
  if (agent !== scope.agent) return false
  if ("conversation" in scope) return conversation === scope.conversation
  return !("user" in scope) || user === scope.user || (audience === "private" && privateConversations.includes(conversation))
}

/** The ids of all turns of a session in which a user spoke. */
export async function spokenTurns(rows: Rows, key: SessionKey, user: string): Promise<ReadonlySet<string>> {
  const turns = new Set<string>()
  const said = { ...sessionOf(key), speaker_id: user, role: "user" } as const
  for (const table of messageTables)
    for (const row of await rows.select(table, said, { columns: ["turn_id"], isDistinct: true })) turns.add(row.turn_id)
  return turns
}
