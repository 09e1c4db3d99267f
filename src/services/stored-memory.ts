import type { Audience, Speaker } from "../core/keys.ts"

/** A memory as stores keep it: plain JSON. Where it was said, by whom and when goes with it wherever it goes. */
export interface StoredMemory {
  /** Unique in its agent and made from the turn's id, so that a job that runs twice stores it once. */
  readonly id: string
  readonly agent: string
  readonly conversation: string
  readonly audience: Audience
  /** Whom it belongs to: the speaker of its turn. */
  readonly user: string
  /** `dialogue`: words that were said. `insight`: what reflection drew from other memories. `note`: put there on purpose. */
  readonly kind: "dialogue" | "insight" | "note"
  readonly text: string
  /** Who said it; of an insight the agent. */
  readonly speaker: Speaker
  readonly atMs: number
  readonly turnId: string
  /** The turn's number in its conversation. */
  readonly turn: number
  /** From 0 to 10; absent where nobody judged. */
  readonly importance?: number
  /** Of an insight: the ids of what it rests on. */
  readonly sources?: readonly string[]
  /** True where it was said while output that nobody vouches for stood in the context. */
  readonly untrusted?: true
  /** The memory that took its place. It is kept as history and not recalled. */
  readonly supersededBy?: string
}

/** An embedding of a memory's text. */
export interface StoredVector {
  readonly memoryId: string
  /** The embedding model; vectors of two models are never compared. */
  readonly model: string
  readonly values: Float32Array
}
