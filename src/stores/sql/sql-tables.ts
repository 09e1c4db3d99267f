import type { Kysely } from "kysely"
import type { HistoryMessage } from "../../core/history.ts"
import type { Audience } from "../../core/keys.ts"
import type { StoredMemory } from "../../services/stored-memory.ts"

/** Statements over the store's tables, within a transaction. */
export type Queries = Kysely<Tables>

/**
 * The tables of every database. Columns that hold a key's words are `keyText`; `body` and `state` are JSON text, which keeps the
 * order of its keys and any string; times are doubles, which hold every number that a clock gives.
 */
export interface Tables {
  /** How far each part of the schema has been migrated. */
  schema_versions: { part: string; version: number }
  /** One row a conversation. Version 0 where only notes were left for it. */
  sessions: SessionColumns & { version: number; whole_state: string; messages: number; spoken: number; notes: number }
  /** What a version changed in its session's state since the one that stands in the session's row: a `Change`, in the order of versions. */
  state_changes: SessionColumns & { version: number; body: string }
  /** `spoken`: how many messages that are not blank come before it in its conversation. */
  messages: SessionColumns & {
    position: number
    turn_id: string
    role: HistoryMessage["role"]
    speaker_id: string
    speaker_name: string
    at_ms: number
    spoken: number
    body: string
  }
  /** A note that was taken keeps its row without a body, so that it is known for ever. */
  notes: SessionColumns & { id: string; position: number; owner: string; body: string | null }
  memories: MemoryColumns
  /** The number of the newest change in a user's memories (`user:…`), a group's (`group:…`), and the agent's epoch (`""`). */
  memory_scopes: { agent: string; scope: string; epoch: number; sequence: number }
  vectors: { agent: string; memory_id: string; model: string; dimensions: number; vector: Uint8Array }
  /** The version never goes back, whatever is deleted. */
  users: UserColumns & { version: number }
  statements: UserColumns & {
    position: number
    turn_id: string
    conversation: string
    audience: Audience
    body: string
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
      body: string
    }
}

export interface SessionColumns {
  agent: string
  conversation: string
  audience: Audience
}

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
  /** Its number among its group's memories; null where it was said in private. */
  group_sequence: number | null
  superseded_by: string | null
  body: string
}
