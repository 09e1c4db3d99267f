import type { ServiceKey } from "../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { hostTimers } from "../../../core/ports.ts"
import { orAborted, whatHappened, within } from "../../../core/timers.ts"
import { defined } from "../../../core/value.ts"
import type { RecallHit } from "../recall/recall-query.ts"
import type { RecallSignal } from "../recall/recall-weights.ts"
import { findingSignals } from "../recall/scores/signal-scores.ts"
import type { MemoryRecords, StoredMemory } from "../store/records.ts"
import { scopeOf } from "../store/rows/row-tables.ts"
import { memoryHash, similarMemory } from "./duplicates.ts"
import { factsOf } from "./memory-facts.ts"
import {
  type EmbeddingModel,
  embedTexts,
  type Memory,
  type MemoryService,
  type MemoryServiceOptions,
  type NewMemory,
  nameOf,
  type RememberResult,
  type RerankCandidate,
} from "./memory-service.ts"
import { type IndexSettings, ScopeIndex } from "./scope-index.ts"

export { fused } from "./fuse-rankings.ts"

const defaultIndexBytes = 256 * 1024 * 1024

/** A memory as a store keeps it, with the key that it is kept with. */
export interface PlannedMemory {
  readonly memory: StoredMemory
  readonly hash: string
  readonly key: ServiceKey
}

/** The work of a memory service over a store's records. */
export interface RecordedMemories extends Pick<MemoryService, "recall" | "remember"> {
  /** Makes memories ready for {@link ReceiptRecords.putWork}, as `remember` would keep them one by one. */
  plan(
    given: readonly { readonly memory: Omit<NewMemory, "supersedes">; readonly key: ServiceKey }[],
  ): Promise<readonly PlannedMemory[]>
  embedMissing(
    embed: EmbeddingModel,
    key: ServiceKey,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<number>
}

/** A {@link MemoryService} over a store's records. */
export interface RecordedMemoryService extends MemoryService {
  /** Absent where embeddings tell duplicates. */
  plan?: RecordedMemories["plan"]
  /** Embeds at most `limit` memories without a vector and returns their number. Throws what the embedding model throws. Absent without an embedding model. */
  embedMissing?(key: ServiceKey, options: { readonly limit: number; readonly signal: AbortSignal }): Promise<number>
}

/** Does the work of `createMemoryService`, which loads this file when there is some. */
export function recordedMemories(options: MemoryServiceOptions): RecordedMemories {
  const { records, embed, maxIndexBytes = defaultIndexBytes, onWarning } = options
  const indexes = new ScopeIndexes(records, { model: embed?.id, maxBytes: maxIndexBytes, onWarning })
  return {
    async recall(query, key, asked) {
      const call = { query, key, ...asked }
      const { limit, signal } = call
      signal.throwIfAborted()
      const embedding = embed && query.trim() !== "" ? queryVector(options, call) : undefined
      const index = await orAborted(indexes.current(key), signal)
      const vector = embedding && (await orAborted(embedding, signal))
      while (index.isUpdating) await orAborted(index.update(), signal)
      if (index.size === 0) return []
      const isReranked = options.rerank !== undefined && query.trim() !== "" && limit > 0
      if (!isReranked) return search(options, index, { ...call, vector })
      const found = search(options, index, { ...call, vector, limit: Math.max(limit, maxReranked) })
      return (await reranked(options, found, call)).slice(0, limit)
    },
    async plan(given) {
      const planned: PlannedMemory[] = []
      for (const { memory, key } of given) {
        const { updates = [], ...said } = await withUpdates(indexes, memory, key)
        const facts = new Set(factsOf(said).map(({ name }) => name))
        const isOne = (other: StoredMemory) => other.atMs < said.atMs && factsOf(other).some(({ name }) => facts.has(name))
        const before = facts.size === 0 ? [] : planned.filter(({ memory }) => isOne(memory))
        const all = [...new Set([...updates, ...before.map(({ memory }) => memory.id)])]
        planned.push({ memory: all.length > 0 ? { ...said, updates: all } : said, hash: memoryHash(said), key })
      }
      return planned
    },
    remember: (memory, key, { ofTurn = false } = {}) => remember(options, indexes, memory, { key, ofTurn }),
    async embedMissing(embed, key, { limit, signal }) {
      const missing = await records.withoutVector(embed.id, key, limit)
      if (missing.length === 0) return 0
      const texts = missing.map(({ text }) => text)
      const vectors = await embedTexts(embed, texts, { signal })
      const rows = missing.flatMap(({ id }, at) => (vectors[at] ? [{ memoryId: id, model: embed.id, values: vectors[at] }] : []))
      await records.putVectors(rows, key)
      return rows.length
    },
  }
}

type RecallOptions = Parameters<MemoryService["recall"]>[2]

/** A call of `recall`. */
interface RecallCall extends RecallOptions {
  readonly query: string
  readonly key: ServiceKey
}

/** The search of a call. */
interface MemoryQuery extends RecallCall {
  /** The embedding of the query, where there is one. */
  readonly vector: Float32Array | undefined
}

/** A memory with this score answers its question. What has only `I` of it is not recalled beside that, unless it was so before (H18). */
const answeredScore = 0.5

/** True for a memory that is found because its speaker tells of themselves, and by nothing else of the question. */
function hasOnlySelf({ why }: RecallHit): boolean {
  return why.some(({ signal }) => signal === "self") && !why.some(({ signal }) => isFinding.has(signal))
}

const isFinding = new Set<RecallSignal>([...findingSignals, "vector"])

/** The memories that answer a query, best first. */
function search(options: MemoryServiceOptions, index: ScopeIndex, asked: MemoryQuery): readonly Memory[] {
  const { clock, weights, timeZone, embed } = options
  const { query, vector, key, limit, excludeTurns = [], minScore, minConfidence } = asked
  const excluded = new Set(excludeTurns)
  const hits = index.rank({
    text: query,
    nowMs: clock.nowMs(),
    askedBy: key.user,
    askedOf: key.agent,
    // Each excluded turn has a question and an answer.
    limit: limit + excluded.size * 2,
    leastScore: minScore,
    leastConfidence: minConfidence,
    timeZone,
    weights,
    vector: vector && embed && { model: embed.id, values: vector },
  })
  const [best] = hits
  const isAnswered = best !== undefined && best.score >= answeredScore && !hasOnlySelf(best)
  const before = new Set(isAnswered ? index.get(best.id)?.updates : [])
  const found = hits.flatMap((hit) => {
    if (isAnswered && hasOnlySelf(hit) && !before.has(hit.id)) return []
    const memory = index.get(hit.id)
    // The prompt shows the turn's words; what was concluded from them stands nowhere else.
    return memory === undefined || (memory.kind === "dialogue" && excluded.has(memory.turnId)) ? [] : { hit, memory }
  })
  return found.slice(0, Math.max(0, limit)).map(({ hit: { id, score, confidence, why, foundAt }, memory }): Memory => {
    const { text, kind, atMs, againAtMs, untrusted } = memory
    const name = kind === "dialogue" ? index.shownName(memory) : undefined
    return { id, text, foundAt, speaker: name, atMs, againAtMs, score, confidence, why, untrusted }
  })
}

/** The embedding of a query; undefined without an embedding model, or if it fails or takes too long. Words alone then find memories. */
async function queryVector(
  { embed, embedTimeoutMs: timeoutMs = defaultMs, timers = hostTimers, onWarning }: MemoryServiceOptions,
  { query, key, signal, warn }: RecallCall,
): Promise<Float32Array | undefined> {
  if (embed === undefined || query.trim() === "") return undefined
  const outcome = await within({ timeoutMs, signal, timers }, (signal) => embedTexts(embed, [query], { signal }))
  if (outcome.status === "done") return outcome.value[0]
  if (outcome.status === "aborted") return undefined
  const why = outcome.status === "failed" ? messageOf(outcome.error) : `it ${whatHappened(outcome, timeoutMs)}.`
  const message = `Recall went on without an embedding of the question: ${why}`
  onWarning?.(message, key)
  warn?.(message)
  return undefined
}

/** A memory with its owner, and with the ids of those that told its fact before. */
async function withUpdates(indexes: ScopeIndexes, given: Omit<NewMemory, "supersedes">, key: ServiceKey): Promise<StoredMemory> {
  const { agent, conversation, audience, user } = key
  const said: StoredMemory = { agent, conversation, audience, user, ...given }
  const updates = factsOf(said).length === 0 ? [] : (await indexes.current(key)).earlier(said)
  return updates.length > 0 ? { ...said, updates } : said
}

async function remember(
  options: MemoryServiceOptions,
  indexes: ScopeIndexes,
  given: NewMemory,
  { key, ofTurn }: { readonly key: ServiceKey; readonly ofTurn: boolean },
): Promise<RememberResult> {
  const { records, embed } = options
  const { supersedes = [], ...rest } = given
  const memory = await withUpdates(indexes, rest, key)
  const similar = await similarMemory(options, memory, key)
  if (similar.duplicateOf !== undefined && supersedes.length === 0) return { status: "duplicate", id: similar.duplicateOf }
  const replaced = [...supersedes, ...(similar.duplicateOf === undefined ? similar.supersedes : [])]
  const { stored, id } = await records.put(memory, { hash: memoryHash(memory), supersedes: replaced, ofTurn, key })
  // Kept at once, so that the next memory of the same turn is compared with this one.
  if (stored && embed && similar.vector)
    await records.putVectors([{ memoryId: id, model: embed.id, values: similar.vector }], key)
  return { status: stored ? "stored" : "duplicate", id, updates: stored ? memory.updates : undefined }
}

/** The number of memories that are scored. */
const maxReranked = 50
const defaultMs = 1_500

/** Orders the first memories by a {@link Rerank}. Those behind them follow as they are. Rejects only when the signal aborts. */
export async function reranked(
  { rerank, rerankTimeoutMs: timeoutMs = defaultMs, timers = hostTimers, onWarning }: MemoryServiceOptions,
  found: readonly Memory[],
  { query, key, signal, warn }: Omit<RecallCall, "limit">,
): Promise<readonly Memory[]> {
  if (rerank === undefined || found.length < 2) return found
  const first = found.slice(0, maxReranked)
  const candidates = first.map(
    ({ id, text, speaker, atMs }): RerankCandidate => defined({ id, text, speaker: nameOf(speaker), atMs }),
  )
  const work = within({ timeoutMs, signal, timers }, async (signal) =>
    soundScores(await rerank(query, candidates, { signal }), first.length),
  )
  const outcome = await orAborted(work, signal)
  if (outcome.status !== "done") {
    const message = `Memories stand in the order of recall: rerank ${whatHappened(outcome, timeoutMs)}.`
    onWarning?.(message, key)
    warn?.(message)
    return found
  }
  const scored = first.map((memory, at) => ({ ...memory, reranked: outcome.value[at] ?? 0 }))
  return [...scored.sort((a, b) => b.reranked - a.reranked), ...found.slice(maxReranked)]
}

function soundScores(scores: readonly number[], count: number): readonly number[] {
  if (Array.isArray(scores) && scores.length === count && scores.every(Number.isFinite)) return scores
  const found = Array.isArray(scores) ? `${scores.length} values` : typeof scores
  throw new PromptStrataError("model", `expected ${count} finite numbers, found ${found}`)
}

/** Recall indexes by scope. Each is made when it is first needed; the least recently used ones are dropped when all take too much memory. */
export class ScopeIndexes {
  readonly #records: MemoryRecords
  readonly #settings: IndexSettings
  readonly #indexes = new Map<string, ScopeIndex>()

  constructor(records: MemoryRecords, settings: IndexSettings) {
    this.#records = records
    this.#settings = settings
  }

  get size(): number {
    return this.#indexes.size
  }

  /** The index of the key's scope, up to date. */
  async current(key: ServiceKey): Promise<ScopeIndex> {
    const scope = scopeOf(key)
    const known = this.#indexes.get(scope)
    const index = known ?? new ScopeIndex(this.#records, key, this.#settings)
    // Set again, so that the order of the map is the order of use.
    this.#indexes.delete(scope)
    this.#indexes.set(scope, index)
    if ((await index.update()) || known === undefined) this.#makeRoom(index)
    return index
  }

  #makeRoom(used: ScopeIndex): void {
    let bytes = 0
    for (const index of this.#indexes.values()) bytes += index.bytes
    for (const [scope, index] of this.#indexes) {
      if (bytes <= this.#settings.maxBytes) return
      if (index === used) continue
      bytes -= index.bytes
      this.#indexes.delete(scope)
    }
  }
}
