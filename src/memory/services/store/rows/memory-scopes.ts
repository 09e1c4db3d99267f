import type { ServiceKey } from "../../../../core/conversation.ts"
import type { StoredMemory } from "../records.ts"
import { keyText } from "./row-tables.ts"
import { type Conditions, inPages, type Rows } from "./rows.ts"

/** A scope of memories: the row that counts its changes, and the condition that a memory lies in it. */
export interface MemoryScope {
  readonly row: { readonly agent: string; readonly scope: string }
  readonly memories: Conditions<"memories">
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

/** The row of the agent itself. New scopes begin in its epoch. */
const agentScope = ""

/** The epoch of a scope and the number of its newest change. */
interface ScopeState {
  readonly epoch: number
  readonly sequence: number
}

/** The state of the scope that a key reads. One without memories has no row of its own; that of the agent then tells its epoch, and counts nothing. */
export async function scopeState(rows: Rows, key: ServiceKey): Promise<ScopeState> {
  const { agent, scope } = scopeOfKey(key).row
  const own = { columns: ["last_deletion", "sequence"], order: ["scope"], isDescending: true, limit: 1 } as const
  const [found] = await rows.select("memory_scopes", { agent, scope: { in: [scope, agentScope] } }, own)
  return { epoch: found?.last_deletion ?? 0, sequence: found?.sequence ?? 0 }
}

/**
 * Locks a scope until the transaction ends, so that numbers become visible in their order. Lock the agent's row before users' scopes,
 * and these before groups': all transactions keep this order.
 */
export async function lockScope(rows: Rows, { row }: MemoryScope): Promise<ScopeState> {
  const [found] = await rows.lock("memory_scopes", row)
  if (found) return { epoch: found.last_deletion, sequence: found.sequence }
  const epoch = await lockAgentRow(rows, row.agent)
  const { sequence } = await rows.lockOrMake("memory_scopes", { ...row, last_deletion: epoch, sequence: 0 })
  return { epoch, sequence }
}

/** Locks the scopes of users, in the order that all transactions keep, and returns their newest numbers. */
export async function lockUsers(rows: Rows, agent: string, users: Iterable<string>): Promise<Map<string, number>> {
  const numbers = new Map<string, number>()
  for (const user of [...new Set(users)].sort()) numbers.set(user, (await lockScope(rows, userScope(agent, user))).sequence)
  return numbers
}

/**
 * Locks the scope of a memory's user as {@link lockUsers} does. If the scope of its group is to be made, the agent's row is locked
 * before, because making one needs it.
 */
export async function lockOwner(rows: Rows, { agent, user, audience, conversation }: StoredMemory): Promise<Map<string, number>> {
  const { row } = groupScope(agent, conversation)
  const isNew = audience === "group" && (await rows.select("memory_scopes", row, { columns: ["scope"] })).length === 0
  if (isNew) await lockAgentRow(rows, agent)
  return lockUsers(rows, agent, [user])
}

/** Locks the agent alone until the transaction ends, and returns its epoch. A transaction that may delete memories does so before it takes other locks. */
export async function lockAgent(rows: Rows, agent: string): Promise<number> {
  await rows.lockAgent(agent, "alone")
  return lockAgentRow(rows, agent)
}

/** Locks the agent's own row until the transaction ends, so that its epoch stays while a scope is made, and returns this. */
async function lockAgentRow(rows: Rows, agent: string): Promise<number> {
  const own = { agent, scope: agentScope, last_deletion: 0, sequence: 0 }
  return (await rows.lockOrMake("memory_scopes", own)).last_deletion
}

/** Begins the agent's next epoch and returns it. No scope can be made until the transaction ends. */
export async function nextEpoch(rows: Rows, agent: string): Promise<number> {
  const last_deletion = (await lockAgent(rows, agent)) + 1
  await rows.update("memory_scopes", { agent, scope: agentScope }, { last_deletion })
  return last_deletion
}

/** The columns that number a memory in its scopes. */
export interface MemoryNumbers {
  readonly user_sequence: number
  readonly group_sequence: number | null
}

/**
 * Gives memories of an agent their next numbers in each of their scopes, one after the other, so that readers of changes see them, and
 * returns the numbers by id. `users` holds the newest numbers of their users, whose scopes must be locked already.
 */
export async function numbersOfAll(rows: Rows, given: readonly StoredMemory[], users: ReadonlyMap<string, number>) {
  const memories = [...new Map(given.map((memory) => [memory.id, memory])).values()]
  const [agent = ""] = memories.map((memory) => memory.agent)
  const ofGroups = memories.flatMap(({ audience, conversation }) => (audience === "group" ? [conversation] : []))
  const groups = new Map<string, number>()
  for (const group of [...new Set(ofGroups)].sort()) groups.set(group, (await lockScope(rows, groupScope(agent, group))).sequence)
  const newest = new Map<string, number>()
  const next = (before: ReadonlyMap<string, number>, name: string, row: MemoryScope["row"]): number => {
    const number = (newest.get(row.scope) ?? before.get(name) ?? 0) + 1
    newest.set(row.scope, number)
    return number
  }
  const numbers = new Map<string, MemoryNumbers>()
  for (const { id, user, audience, conversation } of memories)
    numbers.set(id, {
      user_sequence: next(users, user, userScope(agent, user).row),
      group_sequence: audience === "group" ? next(groups, conversation, groupScope(agent, conversation).row) : null,
    })
  for (const [scope, sequence] of newest) await rows.update("memory_scopes", { agent, scope }, { sequence })
  return numbers
}

/** Gives memories of locked users their next numbers, and other bodies where they have some. */
export async function markChanged(
  rows: Rows,
  changed: readonly { readonly memory: StoredMemory; readonly body?: StoredMemory }[],
  numbers: ReadonlyMap<string, MemoryNumbers>,
): Promise<void> {
  const byId = new Map(changed.map((each) => [each.memory.id, each]))
  for (const page of inPages(byId.values())) {
    const owners = [...new Set(page.map(({ memory }) => memory.user))]
    const own = {
      agent: page[0]?.memory.agent,
      user_id: owners.length === 1 ? owners[0] : { in: owners },
      id: { in: page.map(({ memory }) => memory.id) },
    }
    const found = await rows.select("memories", own)
    const rewritten = found.map((row) => ({ ...row, ...numbers.get(row.id), body: byId.get(row.id)?.body ?? row.body }))
    await rows.put("memories", rewritten, ["body", "user_sequence", "group_sequence"])
  }
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
