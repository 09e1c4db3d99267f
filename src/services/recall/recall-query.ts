import type { RecallSpeaker, RecallVector } from "./recall-document.ts"
import type { RecallSignal, RecallWeights } from "./recall-weights.ts"

/** What is looked for. */
export interface RecallQuery {
  /** A question, a line of dialogue or several; of more than 4,000 characters the first and the last half. Empty: by recency and importance. */
  readonly text: string
  /** What "yesterday" counts from, in milliseconds since 1970. */
  readonly nowMs: number
  /** An IANA name; UTC by default. Another name throws `usage`. */
  readonly timeZone?: string
  /** Further names that speakers go by, beside those of the documents. */
  readonly speakers?: readonly RecallSpeaker[]
  /** The id of the speaker who is "I". */
  readonly askedBy?: string
  /** The id of the speaker who is "you". */
  readonly askedOf?: string
  /** The most hits to return; at most 1,000. */
  readonly limit: number
  /** Instead of the default weights, one by one; 0 leaves a signal out. */
  readonly weights?: Partial<RecallWeights>
  /** The query's own embedding. */
  readonly vector?: RecallVector
  /** Ids from a search by embedding elsewhere, the best first; unknown ids are passed over. Not used where `vector` is given. */
  readonly denseRanking?: readonly string[]
}

/** A found document. */
export interface RecallHit {
  readonly id: string
  /** Comparable within one answer only; about 1 for the best match. */
  readonly score: number
  /** What made up the score, the largest share first. */
  readonly why: readonly RecallReason[]
}

/** The part of one signal in a score. */
export interface RecallReason {
  readonly signal: RecallSignal
  /** The signal before its weight. */
  readonly value: number
  /** How much of the score it makes, from 0 to 1. */
  readonly share: number
}
