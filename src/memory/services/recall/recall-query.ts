import type { Speaker } from "../../../core/conversation.ts"
import type { RecallSignal, RecallWeights } from "./recall-weights.ts"

/** A question to recall. */
export interface RecallQuery {
  /** A question, or one or more lines of dialogue. Of a text over 4,000 characters, the first and the last 2,000 are read. A blank text ranks all documents by recency and importance; any other finds only documents that have something of it. */
  readonly text: string
  /** The moment from which "yesterday" counts, in milliseconds since 1970. */
  readonly nowMs: number
  /** The IANA name of a time zone; default UTC. An unknown name throws `usage`. */
  readonly timeZone?: string | undefined
  /** The id of the speaker that "I" means. */
  readonly askedBy?: string
  /** The id of the speaker that "you" means. */
  readonly askedOf?: string
  /** The most hits to return; at most 1,000. */
  readonly limit: number
  /** The least score of a hit, from 0 to 1. Default 0: everything that has anything of the question. */
  readonly leastScore?: number | undefined
  /** The least confidence of a hit, from 0 to 1. Default 0. */
  readonly leastConfidence?: number | undefined
  /** Weights that replace the default ones, each by itself; 0 leaves a signal out. */
  readonly weights?: Partial<RecallWeights> | undefined
  /** The embedding of the query. */
  readonly vector?: RecallVector | undefined
  /** Ids found by embeddings elsewhere, best first. Unknown ids are ignored. Not used if `vector` is given. */
  readonly vectorRanking?: readonly string[]
}

/** A found document. */
export interface RecallHit {
  readonly id: string
  /**
   * The share of the question that it answers, from 0 to about 1: what its words and those beside it are worth, to what all words of the
   * question are worth, rare ones most. With an embedding the best has at least the part that the embedding has in the ranking.
   */
  readonly score: number
  /** The chance that it is evidence for the answer, from 0 to 1, by its score beside those of other documents. Absent for a blank query. */
  readonly confidence: number | undefined
  /** The signals that made the score, largest share first. */
  readonly why: readonly RecallReason[]
  /** The place in its text, at the begin of a sentence, that has most of the words of the question. It is looked for when it is read. */
  readonly foundAt: number
}

/** The part that one signal has in a score. */
export interface RecallReason {
  readonly signal: RecallSignal
  /** The signal before its weight. */
  readonly value: number
  /** Its share of the score, from 0 to 1. */
  readonly share: number
}

/** A memory as recall sees it. Plain JSON except for the vector. */
export interface RecallDocument {
  /** Unique in its index. */
  readonly id: string
  readonly text: string
  /** When it was said, in milliseconds since 1970. */
  readonly atMs: number
  /** When the same was said at other times, oldest first. */
  readonly againAtMs?: readonly number[] | undefined
  /** One id may have several names, and several ids may have one name. */
  readonly speaker: Speaker
  /** The conversation it was said in. */
  readonly session: string
  /** Its place in that conversation. Lines of one turn may share it. */
  readonly turn: number
  /** From 0 to 10. */
  readonly importance: number
  /** Days until its retrievability is 0.9 (R17); 1 by default. */
  readonly stability?: number | undefined
  /** When it was last recalled. If it was said later, that counts. */
  readonly recalledAtMs?: number | undefined
  /** Further signs of it: words that it does not hold, and days that it tells of, as `2026-03-04`. */
  readonly keys?: { readonly words: readonly string[]; readonly dates?: readonly string[] } | undefined
  /** The ids of documents that told the same fact before. */
  readonly updates?: readonly string[] | undefined
  /** Other names that it gives its speaker. */
  readonly aliases?: readonly string[] | undefined
  /** The lasting facts that it tells. */
  readonly facts?: readonly RecallFact[] | undefined
  readonly vector?: RecallVector | undefined
}

/** A lasting fact that a document tells. */
export interface RecallFact {
  /** The same in all documents that tell it, at different times. */
  readonly name: string
  /** Another name of the document's speaker, if it tells one. */
  readonly alias?: string | undefined
  /** The words by which a question may mean it. */
  readonly words: readonly string[]
  /** The words of it which may change, normalised, such as `madrid`. */
  readonly value?: string | undefined
}

/** An embedding. Vectors are compared only if both the model and the length are equal. */
export interface RecallVector {
  readonly model: string
  readonly values: Float32Array
}
