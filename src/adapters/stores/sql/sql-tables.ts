import type { Kysely } from "kysely"
import type { Audience, HistoryMessage } from "../../../core/conversation.ts"
import type { StoredMemory } from "../../../memory/services/store/records.ts"

/** Builds statements over the store's tables, within a transaction. */
export type Queries = Kysely<Tables>

/**
 * The tables, the same in every database. Parts of keys are stored as `keyText`. `body` and `state` are JSON as text, which keeps
 * any string and the order of members. Times are doubles, which hold every number that a clock gives.
 */
export interface Tables {
  /** The number of the last migration of each part of the schema. */
  schema_versions: { part: string; version: number }
  /** One row for each session. Version 0 means that only notes were posted to it. */
  sessions: SessionColumns & { version: number; whole_state: string; next_position: number; spoken: number; notes: number }
  /** Changes of a session's state since `whole_state` was written, one `Change` for each version. */
  state_changes: SessionColumns & { version: number; body: string }
  /** The history. `spoken` counts the messages before this one in its session that are not blank. */
  messages: MessageColumns & { spoken: number }
  /** Messages that are set aside: no turn reads them. `follows` is the position of the message before it, -1 for none. */
  aside_messages: MessageColumns & { follows: number }
  /** A note that was taken keeps its row without a body: its id stays known. */
  notes: SessionColumns & { id: string; position: number; owner: string; body: string | null }
  /** Bytes, once for each agent. `size` is their number. */
  blobs: { agent: string; id: string; size: number; bytes: Uint8Array }
  /** The blobs that a session holds. */
  session_blobs: SessionColumns & { id: string }
  memories: MemoryColumns
  /** The number of the newest change in the memories of a user (`user:…`) or group (`group:…`). Scope `""` holds the agent's epoch, the number of its last deletion. */
  memory_scopes: { agent: string; scope: string; last_deletion: number; sequence: number }
  /** Parts of copies of recall indexes. The last part of a whole copy has their number in `parts`. `checksum` is that of the bytes. */
  index_copies: {
    agent: string
    scope: string
    copy: string
    part: number
    parts: number | null
    form: string
    epoch: number
    sequence: number
    checksum: string
    bytes: Uint8Array
  }
  /** `checksum` is the CRC-32 of the vector as hexadecimal digits. Rows of older versions have none. */
  vectors: { agent: string; memory_id: string; model: string; dimensions: number; vector: Uint8Array; checksum: string | null }
  /** The version never goes back, even when statements are deleted. */
  users: UserColumns & { version: number }
  statements: UserColumns & { position: number; turn_id: string; conversation: string; audience: Audience; body: string }
  receipts: SessionColumns &
    UserColumns & {
      turn_id: string
      kind: string
      position: number
      outcome: string
      attempt: number
      started_ms: number
      model: string | null
      body: string
    }
}

export interface SessionColumns {
  agent: string
  conversation: string
  audience: Audience
}

/** A message's position is its number in its session, in the order in which the messages were written; a deleted one leaves a gap. */
interface MessageColumns extends SessionColumns {
  position: number
  turn_id: string
  role: HistoryMessage["role"]
  speaker_id: string
  speaker_name: string
  at_ms: number
  body: string
}

/** The tables of messages: the history, and what is set aside. */
export const messageTables = ["messages", "aside_messages"] as const

export interface UserColumns {
  agent: string
  user_id: string
}

export interface MemoryColumns extends SessionColumns, UserColumns {
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
  body: string
}
