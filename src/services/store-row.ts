import type { HistoryMessage } from "../core/history.ts"
import type { Audience, SessionKey } from "../core/keys.ts"
import type { Job } from "./job-runner.ts"
import type { Receipt } from "./receipt.ts"
import type { SessionNote } from "./session-store.ts"
import type { StoredMemory } from "./stored-memory.ts"
import type { ProfileStatement } from "./user-profile.ts"

interface OfSession {
  readonly agent: string
  readonly conversation: string
  readonly audience: Audience
}

/**
 * A line of an export, the same on every store. Lines come by table in the order of {@link storeTables}: sessions by agent,
 * conversation and audience, each followed by its messages and its notes; memories by time, then id, each followed by its
 * vectors by model; users by id, each followed by its statements; receipts and jobs as they were first written.
 */
export type StoreRow =
  | ({ readonly table: "session" } & OfSession & { readonly version: number; readonly state: Readonly<Record<string, unknown>> })
  | ({ readonly table: "message" } & OfSession & { readonly message: HistoryMessage })
  /** Without `note` it was taken by a turn. */
  | ({ readonly table: "note" } & OfSession & { readonly id: string; readonly note?: SessionNote })
  | { readonly table: "memory"; readonly hash: string; readonly memory: StoredMemory }
  /** `values` are 32-bit floats, little-endian, in base64. */
  | {
      readonly table: "vector"
      readonly agent: string
      readonly memoryId: string
      readonly model: string
      readonly values: string
    }
  | { readonly table: "user"; readonly agent: string; readonly user: string; readonly version: number }
  | { readonly table: "statement"; readonly agent: string; readonly user: string; readonly statement: ProfileStatement }
  | { readonly table: "receipt"; readonly receipt: Receipt }
  /** With `error` it is a dead letter, else it waits. */
  | { readonly table: "job"; readonly job: Job; readonly attempts: number; readonly error?: string }

/** The tables of an export. */
export const storeTables = [
  "session",
  "message",
  "note",
  "memory",
  "vector",
  "user",
  "statement",
  "receipt",
  "job",
] as const satisfies readonly StoreRow["table"][]

/** The part of a key that a session's rows carry, in the order in which it is written. */
export function ofSession({ agent, conversation, audience }: SessionKey): OfSession {
  return { agent, conversation, audience }
}
