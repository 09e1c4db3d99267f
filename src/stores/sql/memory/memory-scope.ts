import type { ServiceKey } from "../../../core/keys.ts"
import { keyText } from "../key-columns.ts"
import type { Queries } from "../sql-tables.ts"

/** Where a scope stands: its epoch, and the number of its newest change. */
interface ScopeState {
  readonly epoch: number
  readonly sequence: number
}

/** The scope of all memories that belong to a user. */
export const userScope = (user: string): string => `user:${keyText(user)}`

/** The scope of what was said in a group. */
export const groupScope = (conversation: string): string => `group:${keyText(conversation)}`

/** The scope that a key reads: in private its user's, in a group the group's. */
export const scopeOf = ({ audience, conversation, user }: ServiceKey): string =>
  audience === "group" ? groupScope(conversation) : userScope(user)

/** The columns that hold for every memory of the key's scope; each statement about memories asks for them. */
export function scopeColumns({ agent, audience, conversation, user }: ServiceKey) {
  const owner = { agent: keyText(agent) }
  return audience === "group" ? { ...owner, audience, conversation: keyText(conversation) } : { ...owner, user_id: keyText(user) }
}

/** Where a scope stands; one that nobody has written to yet stands at the beginning of the agent's epoch. */
export async function scopeState(db: Queries, agent: string, scope: string): Promise<ScopeState> {
  const rows = await db
    .selectFrom("memory_scopes")
    .select(["scope", "epoch", "sequence"])
    .where("agent", "=", keyText(agent))
    .where("scope", "in", [scope, agentScope])
    .execute()
  const own = rows.find((row) => row.scope === scope)
  const { epoch = 0, sequence = 0 } = own ?? { epoch: rows[0]?.epoch }
  return { epoch, sequence }
}

/** Stands for the agent itself, whose epoch new scopes begin in. */
const agentScope = ""

/** The agent's epoch, as a part of a statement; null where nothing of the agent was ever deleted or remembered. */
export function epochOf(db: Pick<Queries, "selectFrom">, agent: string) {
  return db.selectFrom("memory_scopes").select("epoch").where("agent", "=", keyText(agent)).where("scope", "=", agentScope)
}

/**
 * Where a scope stands, held until the transaction ends: whoever else writes to the scope waits, so numbers become visible in
 * their order. Lock a user's scope before groups' ones.
 */
export async function lockScope(db: Queries, agent: string, scope: string): Promise<ScopeState> {
  const owner = keyText(agent)
  const found = await db
    .updateTable("memory_scopes")
    .set(({ ref }) => ({ sequence: ref("sequence") }))
    .where("agent", "=", owner)
    .where("scope", "=", scope)
    .returning(["epoch", "sequence"])
    .executeTakeFirst()
  if (found) return found
  const { epoch } = await touchScope(db, { agent: owner, scope: agentScope, epoch: 0 })
  return touchScope(db, { agent: owner, scope, epoch })
}

/** Sets the number of a scope's newest change. */
export async function setSequence(db: Queries, agent: string, scope: string, sequence: number): Promise<void> {
  await db.updateTable("memory_scopes").set({ sequence }).where("agent", "=", keyText(agent)).where("scope", "=", scope).execute()
}

/** The number of the next change in a memory's group; the scope of its user is locked already. */
export async function nextInGroup(
  db: Queries,
  { agent, conversation }: { readonly agent: string; readonly conversation: string },
): Promise<number> {
  const scope = groupScope(conversation)
  const { sequence } = await lockScope(db, agent, scope)
  await setSequence(db, agent, scope, sequence + 1)
  return sequence + 1
}

/** Begins the agent's next epoch and hands it over; until the transaction ends, no scope is made. */
export async function nextEpoch(db: Queries, agent: string): Promise<number> {
  const { epoch } = await touchScope(db, { agent: keyText(agent), scope: agentScope, epoch: 0 })
  await db
    .updateTable("memory_scopes")
    .set({ epoch: epoch + 1 })
    .where("agent", "=", keyText(agent))
    .where("scope", "=", agentScope)
    .execute()
  return epoch + 1
}

/** Puts a scope that is locked into an epoch; one without memories leaves no trace of its name. */
export async function setEpoch(
  db: Queries,
  agent: string,
  { scope, epoch }: { readonly scope: string; readonly epoch: number },
): Promise<void> {
  const row = { agent: keyText(agent), scope }
  await db
    .updateTable("memory_scopes")
    .set({ epoch })
    .where(({ and }) => and(row))
    .execute()
  if (await hasMemories(db, row)) return
  await db
    .deleteFrom("memory_scopes")
    .where(({ and }) => and(row))
    .execute()
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

async function touchScope(
  db: Queries,
  { agent, scope, epoch }: { readonly agent: string; readonly scope: string; readonly epoch: number },
): Promise<ScopeState> {
  return db
    .insertInto("memory_scopes")
    .values({ agent, scope, epoch, sequence: 0 })
    .onConflict((conflict) =>
      conflict.columns(["agent", "scope"]).doUpdateSet(({ ref }) => ({ sequence: ref("memory_scopes.sequence") })),
    )
    .returning(["epoch", "sequence"])
    .executeTakeFirstOrThrow()
}
