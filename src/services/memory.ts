import type { ServiceKey } from "../core/keys.ts"
import type { RecallReason } from "./recall/recall-query.ts"
import type { StoredMemory } from "./stored-memory.ts"

/** A memory as a service hands it back, the most relevant first. */
export interface Memory {
  readonly id: string
  readonly text: string
  /** Who said it, where somebody did. */
  readonly speaker?: string
  /** When, in milliseconds since 1970. */
  readonly atMs?: number
  /** True where it was said while output that nobody vouches for stood in the context. */
  readonly untrusted?: true
  /** Comparable within one answer only. */
  readonly score?: number
  /** What made up the score, for the trace. */
  readonly why?: readonly RecallReason[]
}

/** Finds what is known about a question. Called once a turn, beside prestart, within `limits.prestartMs`; a failure leaves the turn without memories and is reported. */
export interface MemoryRecall {
  recall(
    query: string,
    key: ServiceKey,
    options: {
      readonly limit: number
      readonly signal: AbortSignal
      /** Turns whose words stand in the prompt already: their memories are left out. */
      readonly excludeTurns?: readonly string[]
    },
  ): Promise<readonly Memory[]>
}

/** A memory to keep; its key says whose it is and where it was said. */
export type NewMemory = Pick<StoredMemory, "id" | "kind" | "text" | "speaker" | "atMs" | "turnId" | "turn"> &
  Partial<Pick<StoredMemory, "importance" | "sources" | "untrusted">> & {
    /** Ids of memories that it takes the place of. */
    readonly supersedes?: readonly string[]
  }

/** What became of a memory: stored, or known already under this or another id. */
export interface Remembered {
  readonly status: "stored" | "duplicate"
  /** Of the stored memory, or of the one that says the same. */
  readonly id: string
}

/** Keeps memories and finds them again. A key sees what was said in its own group, or what its user said anywhere (never another's). */
export interface MemoryService extends MemoryRecall {
  /** Keeps a memory once: a known id and the same text of the same user in the same audience are duplicates. */
  remember(memory: NewMemory, key: ServiceKey): Promise<Remembered>
  /** The newest that hold, oldest first. */
  recent(key: ServiceKey, limit: number): Promise<readonly StoredMemory[]>
  /** What the key sees of one id, also a superseded one. */
  get(id: string, key: ServiceKey): Promise<StoredMemory | undefined>
}
