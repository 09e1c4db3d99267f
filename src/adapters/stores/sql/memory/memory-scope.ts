import type { ServiceKey } from "../../../../core/conversation.ts"
import type { StoredMemory } from "../../../../memory/services/store/records.ts"
import { having, keyText } from "../key-columns.ts"
import { prepared } from "../prepared.ts"
import type { Queries, SessionColumns, Tables } from "../sql-tables.ts"

/** The epoch of a scope and the number of its newest change. */
interface ScopeState {
  readonly epoch: number
  readonly sequence: number
}

/** The scope of all memories that belong to a user. */
export const userScope = (user: string): string => `user:${keyText(user)}`

/** The scope of the memories that were said in a group. */
export const groupScope = (conversation: string): string => `group:${keyText(conversation)}`

/** The row of the agent itself. New scopes begin in its epoch. */
const agentScope = ""

/** The condition that a memory lies in the scope that a key reads: in private its user's, in a group the group's. */
export function inScope({ agent, audience, conversation, user }: ServiceKey) {
  const owner = { agent: keyText(agent) }
  return having(
    audience === "private"
      ? { ...owner, user_id: keyText(user) }
      : { ...owner, audience: "group" as const, conversation: keyText(conversation) },
  )
}

/** The scope that a key reads. */
export const scopeOfKey = ({ audience, conversation, user }: ServiceKey): string =>
  audience === "private" ? userScope(user) : groupScope(conversation)

/** The epoch of the scope that a key reads. */
export async function scopeEpoch(db: Queries, key: ServiceKey): Promise<number> {
  const scope = scopeOfKey(key)
  const { rows } = await selectEpochs(db, { agent: keyText(key.agent), scope })
  return (rows.find((row) => row.scope === scope) ?? rows[0])?.epoch ?? 0
}

const selectEpochs = prepared(["agent", "scope"], (db, { agent, scope }: Pick<Tables["memory_scopes"], "agent" | "scope">) =>
  db
    .selectFrom("memory_scopes")
    .select(["scope", "last_deletion as epoch"])
    .where("agent", "=", agent)
    .where("scope", "in", [scope, agentScope]),
)

/** The agent's epoch as a part of a statement. It is null while the agent has no memories and nothing was deleted. */
export function epochOf(db: Pick<Queries, "selectFrom">, { agent }: Pick<SessionColumns, "agent">) {
  const own = db.selectFrom("memory_scopes").select("last_deletion as epoch")
  return own.where("agent", "=", agent).where("scope", "=", agentScope)
}

/**
 * Locks a scope until the transaction ends, so that numbers become visible in their order. Lock the agent's row before users' scopes,
 * and these before groups': all transactions keep this order.
 */
export async function lockScope(db: Queries, agent: string, scope: string): Promise<ScopeState> {
  const row = { agent: keyText(agent), scope }
  const found = await db
    .updateTable("memory_scopes")
    .set(({ ref }) => ({ sequence: ref("sequence") }))
    .where(having(row))
    .returning(["last_deletion as epoch", "sequence"])
    .executeTakeFirst()
  if (found) return found
  const { epoch } = await touchScope(db, row.agent, agentScope, 0)
  return touchScope(db, row.agent, scope, epoch)
}

/**
 * Locks the scope of a memory's user. If the scope of its group is to be made, the agent's row is locked before, because making one
 * needs it.
 */
export async function lockScopeOf(db: Queries, { agent, user, audience, conversation }: StoredMemory): Promise<ScopeState> {
  const row = { agent: keyText(agent), scope: groupScope(conversation) }
  const isNew =
    audience === "group" &&
    (await db.selectFrom("memory_scopes").select("scope").where(having(row)).executeTakeFirst()) === undefined
  if (isNew) await touchScope(db, row.agent, agentScope, 0)
  return lockScope(db, agent, userScope(user))
}

/** Locks the agent's own row until the transaction ends. A transaction that may delete memories does so before it takes other locks. */
export async function lockAgent(db: Queries, agent: string): Promise<void> {
  await touchScope(db, keyText(agent), agentScope, 0)
}

/** Sets the number of a scope's newest change. */
export async function setSequence(db: Queries, agent: string, scope: string, sequence: number): Promise<void> {
  const row = { agent: keyText(agent), scope }
  await db.updateTable("memory_scopes").set({ sequence }).where(having(row)).execute()
}

/** Takes the next number of a group. The scope of the memory's user must be locked already. */
export async function nextInGroup(db: Queries, { agent, conversation }: StoredMemory): Promise<number> {
  const scope = groupScope(conversation)
  const { sequence } = await lockScope(db, agent, scope)
  await setSequence(db, agent, scope, sequence + 1)
  return sequence + 1
}

/** Begins the agent's next epoch and returns it. No scope can be made until the transaction ends. */
export async function nextEpoch(db: Queries, agent: string): Promise<number> {
  const row = { agent: keyText(agent), scope: agentScope }
  const { epoch } = await touchScope(db, row.agent, agentScope, 0)
  const next = epoch + 1
  await db.updateTable("memory_scopes").set({ last_deletion: next }).where(having(row)).execute()
  return next
}

/**
 * Sets the epoch of a locked scope, and deletes the copies of its recall index, which hold words of what was deleted. A scope without
 * memories is deleted instead: it would keep the name of its user or group.
 */
export async function setEpoch(db: Queries, agent: string, scope: string, epoch: number): Promise<void> {
  const row = { agent: keyText(agent), scope }
  await db.deleteFrom("index_copies").where(having(row)).execute()
  if (await hasMemories(db, row)) await db.updateTable("memory_scopes").set({ last_deletion: epoch }).where(having(row)).execute()
  else await db.deleteFrom("memory_scopes").where(having(row)).execute()
}

async function hasMemories(db: Queries, { agent, scope }: { readonly agent: string; readonly scope: string }): Promise<boolean> {
  const [kind, name] = [scope.slice(0, scope.indexOf(":")), scope.slice(scope.indexOf(":") + 1)]
  const memories = db.selectFrom("memories").select("id").where("agent", "=", agent).limit(1)
  const own =
    kind === "user"
      ? memories.where("user_id", "=", name)
      : memories.where("conversation", "=", name).where("audience", "=", "group")
  return (await own.executeTakeFirst()) !== undefined
}

/** Locks a scope's row, and makes the row when it is missing. */
async function touchScope(db: Queries, agent: string, scope: string, epoch: number): Promise<ScopeState> {
  const [row] = (await insertOrLock(db, { agent, scope, last_deletion: epoch })).rows
  return row as ScopeState
}

const insertOrLock = prepared(["agent", "scope", "last_deletion"], (db, row: Omit<Tables["memory_scopes"], "sequence">) =>
  db
    .insertInto("memory_scopes")
    .values({ ...row, sequence: 0 })
    .onConflict((conflict) =>
      conflict.columns(["agent", "scope"]).doUpdateSet(({ ref }) => ({ sequence: ref("memory_scopes.sequence") })),
    )
    .returning(["last_deletion as epoch", "sequence"]),
)
