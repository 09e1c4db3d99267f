import { type Audience, type HistoryMessage, isSpoken, type ServiceKey, type SessionKey } from "../../../../core/conversation.ts"
import { PromptStrataError } from "../../../../core/errors.ts"
import type { Receipt } from "../receipt.ts"
import type { ProfileStatement, StoredMemory } from "../records.ts"
import type { SessionNote, SessionRecord } from "../session-store.ts"

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

/** The tables of a store, the same in memory and in every database. `body` and `whole_state` are plain JSON. */
export interface RowTables {
  /** One row for each session. Version 0 means that only notes were posted to it. `notes` and `next_position` are the places of the next ones. */
  sessions: SessionColumns & {
    version: number
    whole_state: SessionRecord["state"]
    next_position: number
    spoken: number
    notes: number
  }
  /** The history. `spoken` counts the messages before this one in its session that are not blank. */
  messages: MessageColumns & { spoken: number }
  /** Messages that are set aside: no turn reads them. `follows` is the position of the message before it, -1 for none. */
  aside_messages: MessageColumns & { follows: number }
  /** A note that was taken keeps its row without a body: its id stays known. */
  notes: SessionColumns & { id: string; position: number; owner: string; body: SessionNote | null }
  /** Bytes, once for each agent. `size` is their number. */
  blobs: { agent: string; id: string; size: number; bytes: Uint8Array }
  /** The blobs that a session holds. */
  session_blobs: SessionColumns & { id: string }
  memories: SessionColumns &
    UserColumns & {
      id: string
      kind: StoredMemory["kind"]
      turn_id: string
      hash: string
      at_ms: number
      /** Its number among its user's memories. */
      user_sequence: number
      /** Its number among its group's memories; null for one that was said in private. */
      group_sequence: number | null
      superseded_by: string | null
      body: StoredMemory
    }
  /** The number of the newest change in the memories of a user (`user:…`) or group (`group:…`). Scope `""` holds the agent's epoch, the number of its last deletion. */
  memory_scopes: { agent: string; scope: string; last_deletion: number; sequence: number }
  /** Parts of copies of recall indexes. The last part of a whole copy has their number in `parts`. */
  index_copies: {
    agent: string
    scope: string
    copy: string
    part: number
    parts: number | null
    form: string
    epoch: number
    sequence: number
    bytes: Uint8Array
  }
  vectors: { agent: string; memory_id: string; model: string; dimensions: number; vector: Uint8Array }
  /** The version never goes back, even when statements are deleted. */
  users: UserColumns & { version: number }
  statements: UserColumns & {
    position: number
    turn_id: string
    conversation: string
    audience: Audience
    body: ProfileStatement
  }
  receipts: SessionColumns &
    UserColumns & {
      turn_id: string
      kind: string
      position: number
      outcome: string
      attempt: number
      started_ms: number
      model: string | null
      body: Receipt
    }
}

export type TableName = keyof RowTables

export interface SessionColumns {
  agent: string
  conversation: string
  audience: Audience
}

export interface UserColumns {
  agent: string
  user_id: string
}

/** A message's position is its number in its session, in the order in which the messages were written; a deleted one leaves a gap. */
interface MessageColumns extends SessionColumns {
  position: number
  turn_id: string
  role: HistoryMessage["role"]
  speaker_id: string
  speaker_name: string
  at_ms: number
  body: HistoryMessage
}

const session = ["agent", "conversation", "audience"] as const

/** The columns of each table that name a row. */
export const tableKeys = {
  sessions: session,
  messages: [...session, "position"],
  aside_messages: [...session, "position"],
  notes: [...session, "id"],
  blobs: ["agent", "id"],
  session_blobs: [...session, "id"],
  memories: ["agent", "id"],
  memory_scopes: ["agent", "scope"],
  index_copies: ["agent", "scope", "copy", "part"],
  vectors: ["agent", "memory_id", "model"],
  users: ["agent", "user_id"],
  statements: ["agent", "user_id", "position"],
  receipts: [...session, "turn_id", "kind"],
} as const satisfies { readonly [Table in TableName]: readonly (keyof RowTables[Table])[] }

/** The columns, beside its key, of a row that is locked. */
export const lockedColumns = {
  sessions: ["version", "next_position", "spoken", "notes"],
  users: ["version"],
  memory_scopes: ["last_deletion", "sequence"],
  blobs: ["size"],
} as const satisfies { readonly [Table in TableName]?: readonly (keyof RowTables[Table])[] }

/** A table whose rows are locked. */
export type LockedTable = keyof typeof lockedColumns

/** The columns that a lock returns. */
export type LockedRow<Table extends LockedTable> = Pick<
  RowTables[Table],
  (typeof lockedColumns)[Table][number] & keyof RowTables[Table]
>

/** The tables of messages: the history, and what is set aside. */
export const messageTables = ["messages", "aside_messages"] as const

/** The columns that name a session. Every row of the session holds them, and every statement about it asks for them. */
export function sessionOf({ agent, conversation, audience }: SessionKey): SessionColumns {
  return { agent, conversation, audience }
}

/** The columns that name a user of an agent. */
export function userOf({ agent, user }: Pick<ServiceKey, "agent" | "user">): UserColumns {
  return { agent, user_id: user }
}

/** A message as a row, without the column that only its table has. */
export function messageRow(key: SessionKey, body: HistoryMessage, position: number) {
  const { role, turnId, speaker, atMs } = body
  const who = { turn_id: turnId, role, speaker_id: speaker.id, speaker_name: speaker.name }
  return { ...sessionOf(key), ...who, position, at_ms: atMs, body }
}

/** The messages as rows of the history from `position` on, behind so many that are not blank, and the count behind them. */
export function historyRows(
  key: SessionKey,
  messages: readonly HistoryMessage[],
  { position, ...before }: { readonly position: number; readonly spoken: number },
) {
  let { spoken } = before
  const rows: RowTables["messages"][] = []
  for (const message of messages) {
    rows.push({ ...messageRow(key, message, position + rows.length), spoken })
    if (isSpoken(message)) spoken += 1
  }
  return { rows, spoken }
}
