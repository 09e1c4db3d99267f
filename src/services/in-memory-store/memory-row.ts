import { PromptStrataError } from "../../core/errors.ts"
import type { ServiceKey } from "../../core/keys.ts"
import type { StoredMemory, StoredVector } from "../stored-memory.ts"
import { compareTexts, rowId } from "./row-id.ts"

/** A memory as the table keeps it; `sequence` is the number of its last change. */
export interface MemoryRow {
  readonly memory: StoredMemory
  readonly hash: string
  readonly sequence: number
  readonly vectors: ReadonlyMap<string, StoredVector>
}

/** What a key sees: in private what belongs to its user, in a group what was said in it. */
export function scopeOf({ agent, user, conversation, audience }: ServiceKey): string {
  return audience === "private" ? rowId("user", agent, user) : rowId("group", agent, conversation)
}

/** The scopes that a memory is in. */
export function scopesOf({ agent, user, conversation, audience }: StoredMemory): readonly string[] {
  const own = rowId("user", agent, user)
  return audience === "private" ? [own] : [own, rowId("group", agent, conversation)]
}

/** Memories with the same one may be duplicates of each other, and one may take the other's place. */
export function ownerOf({ agent, user, audience, conversation }: StoredMemory): string {
  return rowId(agent, user, audience, audience === "group" ? conversation : "")
}

export function checkKey({ id, agent, conversation, audience, user }: StoredMemory, key: ServiceKey): void {
  const own = agent === key.agent && conversation === key.conversation && audience === key.audience && user === key.user
  if (own) return
  throw new PromptStrataError("usage", `expected memory ${JSON.stringify(id)} to be its key's own, found another's.`, {
    hint: "A memory's agent, conversation, audience and user are those of the key that it is kept with.",
    evidence: { memory: { agent, conversation, audience, user }, key },
  })
}

export function byTime(a: Pick<MemoryRow, "memory">, b: Pick<MemoryRow, "memory">): number {
  return a.memory.atMs - b.memory.atMs || compareTexts([a.memory.id], [b.memory.id])
}
