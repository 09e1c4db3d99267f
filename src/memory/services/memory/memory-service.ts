import type { ServiceKey, Speaker } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { graphemeBoundaryBefore } from "../../../core/graphemes.ts"
import type { Clock, Timers } from "../../../core/ports.ts"
import type { RecallReason } from "../recall/recall-query.ts"
import type { RecallWeights } from "../recall/recall-weights.ts"
import type { ForgottenMemories, MemoryRecords, StoredMemory } from "../store/records.ts"

/** A recalled memory. */
export interface Memory {
  readonly id: string
  readonly text: string
  /** The place in a long text that has most of the question: a prompt without room for the whole shows it from there. Default 0. */
  readonly foundAt?: number | undefined
  /** The person who said it, or their name, which is all that prompts show; absent if nobody did. */
  readonly speaker?: Speaker | string | undefined
  /** When it was said, in milliseconds since 1970. */
  readonly atMs?: number | undefined
  /** When the same words were said at other times, oldest first. */
  readonly againAtMs?: readonly number[] | undefined
  /** True if output of untrusted tools stood in the context when it was said. */
  readonly untrusted?: true | undefined
  /** The share of the question that it answers, from 0 to about 1; scores of different questions can be compared. */
  readonly score?: number
  /** The chance that it is evidence for the answer, from 0 to 1, as measured on chats of several kinds. Absent for a blank question. */
  readonly confidence?: number | undefined
  /** The score of a {@link Rerank}, which made the order. */
  readonly reranked?: number
  /** The signals that made the score, for the trace. */
  readonly why?: readonly RecallReason[]
}

/** The name of a memory's speaker; undefined if nobody said it. */
export function nameOf(speaker: Memory["speaker"]): string | undefined {
  return typeof speaker === "object" ? speaker.name : speaker
}

/**
 * Finds memories for a turn. `recall` is called once a turn, while prestart tools run, and may be called concurrently for different
 * conversations. It must return within `limits.prestartMs` and stop when its signal aborts. If it throws or takes longer, the turn
 * goes on without memories and reports a warning.
 */
export interface MemoryRecall {
  /**
   * Returns at most `limit` memories that the key may see, most relevant first. In private these are the memories of the key's user, in a
   * group those of that group. A memory with nothing of the query is not returned, except for a blank query, which asks for what is
   * recent and important. Rejects with the signal's reason once it aborts.
   */
  recall(
    query: string,
    key: ServiceKey,
    options: {
      readonly limit: number
      readonly signal: AbortSignal
      /** Ids of turns whose messages stand in the prompt already. What was said in them must be left out; insights and notes stay. */
      readonly excludeTurns?: readonly string[]
      /** Memories with a lower score are left out: the least share of the question that must be answered, from 0 to 1. Default 0. */
      readonly minScore?: number
      /** Memories with a lower confidence are left out. Default 0; a blank query has none. */
      readonly minConfidence?: number
      /** Tells the turn of something that went wrong without failing recall. It stands in the turn's trace. */
      readonly warn?: (message: string) => void
    },
  ): Promise<readonly Memory[]>
}

/** The members of a memory that a store or a memory service adds. */
type AddedByStore = "againAtMs" | "updates" | "stability" | "usedAtMs" | "supersededBy"

/**
 * A memory to keep. The key that it is kept with says whose it is and where it was said: `{ ...key, ...memory }` is the memory as
 * {@link MemoryService.recent} and {@link MemoryService.get} return it.
 */
export interface NewMemory extends Omit<StoredMemory, keyof ServiceKey | AddedByStore> {
  /** Ids of memories that it replaces. */
  readonly supersedes?: readonly string[]
}

/** The result of {@link MemoryService.remember}. */
export interface RememberResult {
  /** `duplicate`: the id or the text was known. */
  readonly status: "stored" | "duplicate"
  /** The id of the stored memory, or of the one that says the same. */
  readonly id: string
  /** The ids of earlier memories that told the same fact: the same subject and relation in their keys. */
  readonly updates?: readonly string[] | undefined
}

/**
 * Keeps memories and recalls them. A private key sees the memories of its user; a group's key sees what was said in that group. All methods may be called concurrently.
 */
export interface MemoryService extends MemoryRecall {
  /**
   * Keeps a memory once. A known id, and the same text of the same user in the same audience, are duplicates. Background work tries again
   * if it throws. It passes `ofTurn`: then a memory must not be kept if its turn was forgotten meanwhile ({@link MemoryRecords.put}).
   */
  remember(memory: NewMemory, key: ServiceKey, options?: { readonly ofTurn?: boolean }): Promise<RememberResult>
  /**
   * Notes that memories stood in the prompt of an answered turn; they are then forgotten more slowly ({@link MemoryRecords.markUsed}).
   * Background work calls it, and tries again if it throws. Without this method, recall changes nothing.
   */
  used?(ids: readonly string[], key: ServiceKey, options: { readonly atMs: number }): Promise<void>
  /** At most `limit` of the newest memories that are not superseded, oldest first. */
  recent(key: ServiceKey, limit: number): Promise<readonly StoredMemory[]>
  /** The memory of an id, superseded or not; undefined if the key sees none. */
  get(id: string, key: ServiceKey): Promise<StoredMemory | undefined>
  /**
   * Deletes memories of the key's user with all that was drawn with them, and leaves receipts ({@link MemoryRecords.forget}). Without
   * this method nothing can be forgotten by id.
   */
  forget?(
    ids: readonly string[],
    key: ServiceKey,
    options: { readonly atMs: number; readonly inTurn?: boolean },
  ): Promise<ForgottenMemories>
}

/**
 * Makes embeddings. An AI SDK embedding model fits in two lines: `{ id: model.modelId, embed: async (texts, { signal }) =>
 * (await embedMany({ model, values: [...texts], abortSignal: signal })).embeddings }`.
 */
export interface EmbeddingModel {
  /** Kept with every vector. Vectors of different ids are never compared, so another model needs another id. */
  readonly id: string
  /** The length of vectors; others are refused. Default: the length of the first one. */
  readonly dimensions?: number
  /**
   * Returns one vector for each text, in their order. It may be called concurrently and must stop when the signal aborts. If it
   * throws, or returns vectors that do not fit, recall and duplicate search go on without embeddings.
   */
  embed(
    texts: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[] | Float32Array)[]>
}

/** Embeds texts. Throws `model` unless it gets as many vectors as texts, all of one length and of finite numbers. */
export async function embedTexts(
  model: EmbeddingModel,
  texts: readonly string[],
  options: { readonly signal: AbortSignal },
): Promise<readonly Float32Array[]> {
  const vectors = (await model.embed(texts.map(embedded), options)).map((values) => Float32Array.from(values))
  const length = model.dimensions ?? vectors[0]?.length ?? 0
  const isSound = vectors.length === texts.length && length > 0
  if (isSound && vectors.every((values) => values.length === length && values.every(Number.isFinite))) return vectors
  const message = `expected ${texts.length} vectors of ${length} finite numbers from ${model.id}, found ${vectors.length} of ${vectors[0]?.length ?? 0}.`
  throw new PromptStrataError("model", message, { evidence: { model: model.id } })
}

/** Embedding models read no more of a text. */
const embedded = (text: string) => text.slice(0, graphemeBoundaryBefore(text, 16_384))

/** A memory that recall found, for a {@link Rerank}. */
export interface RerankCandidate {
  readonly id: string
  readonly text: string
  /** The name of the person who said it; absent if nobody did. */
  readonly speaker?: string
  /** When it was said, in milliseconds since 1970. */
  readonly atMs?: number
}

/**
 * Scores the memories that recall found, at most 50: one number for each, in their order, higher for a better answer. Memories then stand
 * in the order of these numbers. It may be called concurrently and must stop when the signal aborts. If it throws, takes too long or
 * returns other than one finite number for each, memories stay in the order of recall, and the turn's trace says so.
 */
export type Rerank = (
  question: string,
  candidates: readonly RerankCandidate[],
  options: { readonly signal: AbortSignal },
) => readonly number[] | Promise<readonly number[]>

/** Options of `createMemoryService`. */
export interface MemoryServiceOptions {
  readonly records: MemoryRecords
  readonly clock: Clock
  /** Default: those of the host. */
  readonly timers?: Timers
  /** Weights that replace the default weights of recall, each by itself. */
  readonly weights?: Partial<RecallWeights>
  /** The IANA name of the time zone in which "yesterday" is meant. Default UTC. */
  readonly timeZone?: string | undefined
  readonly embed?: EmbeddingModel | undefined
  /** The time limit of embedding a question, in milliseconds. After it, words alone find memories. Default 1,500. */
  readonly embedTimeoutMs?: number
  /** Puts the first 50 memories of each question into a better order. Default: none. */
  readonly rerank?: Rerank | undefined
  /** The time limit of `rerank`, in milliseconds. Default 1,500. */
  readonly rerankTimeoutMs?: number
  /**
   * With `embed`: a new memory replaces an older one of the same speaker if their cosine similarity is at least this. The older
   * one is kept as history. Default: only equal words are duplicates.
   */
  readonly duplicateSimilarity?: number | undefined
  /** The approximate size of all indexes together, in bytes; the one in use may exceed it. Default 256 MiB. */
  readonly maxIndexBytes?: number
  /** Gets a message if an embedding or `rerank` fails. Recall and keeping then go on without it. */
  readonly onWarning?: (message: string, key: ServiceKey) => void
}
