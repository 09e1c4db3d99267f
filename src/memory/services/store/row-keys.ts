import type { ServiceKey, SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { Receipt } from "./receipt.ts"
import type { StoredMemory } from "./records.ts"

/**
 * Turns any string into text that every database stores unchanged. Databases refuse or replace NUL and lone surrogates, so a string
 * with one of them becomes JSON; so does one that begins with a quotation mark. Two strings never become the same text.
 */
export function keyText(value: string): string {
  return value.startsWith('"') || value.includes("\0") || !value.isWellFormed() ? JSON.stringify(value) : value
}

/** Joins texts into one key. They are written as JSON, so two different lists never give the same key. */
export function rowId(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

/** The key of a session. */
export function sessionRowId({ agent, conversation, audience }: SessionKey): string {
  return rowId(agent, conversation, audience)
}

/** The scope that a key reads: in private its user's memories, in a group those of the group. */
export function scopeOf({ agent, user, conversation, audience }: ServiceKey): string {
  return audience === "private" ? rowId("user", agent, user) : rowId("group", agent, conversation)
}

/** Only memories with the same owner can be duplicates of each other or supersede each other. */
export function ownerOf({ agent, user, audience, conversation }: ServiceKey): string {
  return rowId(agent, user, audience, audience === "group" ? conversation : "")
}

/** Throws `usage` if a memory is not its key's own. */
export function checkKey({ id, agent, conversation, audience, user }: StoredMemory, key: ServiceKey): void {
  const own = agent === key.agent && conversation === key.conversation && audience === key.audience && user === key.user
  if (own) return
  const message = `expected memory ${JSON.stringify(id)} to belong to the key it is kept with, found another owner.`
  const hint = "Give the memory the agent, conversation, audience and user of the key."
  throw new PromptStrataError("usage", message, { hint, evidence: { memory: { agent, conversation, audience, user }, key } })
}

/** Orders rows by several texts, one after the other, each by its UTF-16 code units. */
export function compareTexts(a: readonly string[], b: readonly string[]): number {
  for (const [at, text] of a.entries()) {
    const other = b[at] ?? ""
    if (text !== other) return text < other ? -1 : 1
  }
  return 0
}

/** Orders sessions as an export does. */
export function compareSessions(a: SessionKey, b: SessionKey): number {
  return compareTexts([a.agent, a.conversation, a.audience], [b.agent, b.conversation, b.audience])
}

/** Orders memories as an export does: by time, then by id. */
export function byTime(a: { readonly memory: StoredMemory }, b: { readonly memory: StoredMemory }): number {
  return a.memory.atMs - b.memory.atMs || compareTexts([a.memory.id], [b.memory.id])
}

/** Orders receipts as an export does: by the beginning of their work, session and turn. Equal ones keep the order in which they were written. */
export function compareReceipts(a: Receipt, b: Receipt): number {
  return a.startedMs - b.startedMs || compareSessions(a.key, b.key) || compareTexts([a.turnId], [b.turnId])
}
