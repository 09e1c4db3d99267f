import type { ServiceKey } from "../../../../core/conversation.ts"
import type { StoredMemory } from "../records.ts"
import { keyText } from "../row-keys.ts"
import type { Conditions, Rows } from "./rows.ts"

/** A scope of memories: the row that counts its changes, and the condition that a memory lies in it. */
export interface MemoryScope {
  readonly row: { readonly agent: string; readonly scope: string }
  readonly memories: Conditions<"memories">
}

/** The epoch of a scope and the number of its newest change. */
interface ScopeState {
  readonly epoch: number
  readonly sequence: number
}

/** The scope of all memories that belong to a user. */
export function userScope(agent: string, user: string): MemoryScope {
  return { row: { agent, scope: `user:${keyText(user)}` }, memories: { agent, user_id: user } }
}

/** The scope of the memories that were said in a group. */
export function groupScope(agent: string, conversation: string): MemoryScope {
  const memories = { agent, audience: "group", conversation } as const
  return { row: { agent, scope: `group:${keyText(conversation)}` }, memories }
}

/** The scope that a key reads: in private its user's, in a group the group's. */
export function scopeOfKey({ agent, audience, conversation, user }: ServiceKey): MemoryScope {
  return audience === "private" ? userScope(agent, user) : groupScope(agent, conversation)
}

const scopeOfUser = ({ agent, user }: Pick<ServiceKey, "agent" | "user">): MemoryScope => userScope(agent, user)

/** The row of the agent itself. New scopes begin in its epoch. */
const agentScope = ""

/** The epoch of the scope that a key reads. */
export async function scopeEpoch(rows: Rows, key: ServiceKey): Promise<number> {
  const { agent, scope } = scopeOfKey(key).row
  const found = await rows.select(
    "memory_scopes",
    { agent, scope: { in: [scope, agentScope] } },
    { columns: ["scope", "last_deletion"] },
  )
  return (found.find((row) => row.scope === scope) ?? found[0])?.last_deletion ?? 0
}

/**
 * Locks a scope until the transaction ends, so that numbers become visible in their order. Lock the agent's row before users' scopes,
 * and these before groups': all transactions keep this order.
 */
export async function lockScope(rows: Rows, { row }: MemoryScope): Promise<ScopeState> {
  const [found] = await rows.lock("memory_scopes", row)
  if (found) return { epoch: found.last_deletion, sequence: found.sequence }
  const epoch = await lockAgent(rows, row.agent)
  const { sequence } = await rows.lockOrMake("memory_scopes", { ...row, last_deletion: epoch, sequence: 0 })
  return { epoch, sequence }
}

/** Locks the scopes of users, in the order that all transactions keep. */
export async function lockUsers(rows: Rows, agent: string, users: Iterable<string>): Promise<void> {
  for (const user of [...new Set(users)].sort()) await lockScope(rows, userScope(agent, user))
}

/**
 * Locks the scope of a memory's user, and returns its newest number. If the scope of its group is to be made, the agent's row is locked
 * before, because making one needs it.
 */
export async function lockScopeOf(rows: Rows, { agent, user, audience, conversation }: StoredMemory): Promise<number> {
  const { row } = groupScope(agent, conversation)
  const isNew = audience === "group" && (await rows.select("memory_scopes", row, { columns: ["scope"] })).length === 0
  if (isNew) await lockAgent(rows, agent)
  return (await lockScope(rows, userScope(agent, user))).sequence
}

/** Locks the agent's own row until the transaction ends, and returns its epoch. A transaction that may delete memories does so before it takes other locks. */
export async function lockAgent(rows: Rows, agent: string): Promise<number> {
  const own = { agent, scope: agentScope, last_deletion: 0, sequence: 0 }
  return (await rows.lockOrMake("memory_scopes", own)).last_deletion
}

/** Begins the agent's next epoch and returns it. No scope can be made until the transaction ends. */
export async function nextEpoch(rows: Rows, agent: string): Promise<number> {
  const last_deletion = (await lockAgent(rows, agent)) + 1
  await rows.update("memory_scopes", { agent, scope: agentScope }, { last_deletion })
  return last_deletion
}

/**
 * The columns that give a memory its next number in each of its scopes, so that readers of changes see it. `sequence` is its number in
 * its user's scope, which must be locked already; the number in its group's is taken here.
 */
export async function numbersOf(rows: Rows, memory: StoredMemory, sequence: number) {
  await rows.update("memory_scopes", scopeOfUser(memory).row, { sequence })
  if (memory.audience !== "group") return { user_sequence: sequence }
  const scope = groupScope(memory.agent, memory.conversation)
  const group_sequence = (await lockScope(rows, scope)).sequence + 1
  await rows.update("memory_scopes", scope.row, { sequence: group_sequence })
  return { user_sequence: sequence, group_sequence }
}

/** Gives a memory the next number in each of its scopes. */
export async function markChanged(rows: Rows, memory: StoredMemory): Promise<void> {
  const { agent, id } = memory
  const { sequence } = await lockScope(rows, scopeOfUser(memory))
  const numbers = await numbersOf(rows, memory, sequence + 1)
  await rows.update("memories", { ...scopeOfUser(memory).memories, agent, id }, numbers)
}

/**
 * Sets the epoch of a locked scope, and deletes the copies of its recall index, which hold words of what was deleted. A scope without
 * memories is deleted instead: it would keep the name of its user or group.
 */
export async function setEpoch(rows: Rows, { row, memories }: MemoryScope, last_deletion: number): Promise<void> {
  await rows.delete("index_copies", row)
  const [left] = await rows.select("memories", memories, { columns: ["id"], limit: 1 })
  if (left) await rows.update("memory_scopes", row, { last_deletion })
  else await rows.delete("memory_scopes", row)
}
