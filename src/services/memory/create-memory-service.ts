import type { ServiceKey } from "../../core/conversation.ts"
import { messageOf } from "../../core/errors.ts"
import type { MemoryRecords, StoredMemory } from "../store/records.ts"
import { memoryHash, similarMemory } from "./duplicates.ts"
import {
  type EmbeddingModel,
  embedTexts,
  type Memory,
  type MemoryService,
  type MemoryServiceOptions,
  type NewMemory,
  type Remembered,
} from "./memory-service.ts"
import { ScopeIndexes } from "./scope-indexes.ts"

/** A {@link MemoryService} over a store's records. */
export interface RecordedMemoryService extends MemoryService {
  /** Embeds at most `limit` memories without a vector and returns their number. Throws what the embedding model throws. Absent without an embedding model. */
  embedMissing?(key: ServiceKey, options: { readonly limit: number; readonly signal: AbortSignal }): Promise<number>
}

const defaultIndexBytes = 256 * 1024 * 1024

/**
 * Creates a memory service over a store's records. It finds duplicates by normalised text and recalls by words, speakers and times, in
 * the same way on every store. The index of each user and group is made when it is first needed, then updated with changes.
 */
export function createMemoryService(options: MemoryServiceOptions): RecordedMemoryService {
  const { records, embed, maxIndexBytes = defaultIndexBytes } = options
  const indexes = new ScopeIndexes(records, { model: embed?.id, maxBytes: maxIndexBytes })
  return {
    recall: (query, key, asked) => recall({ ...options, indexes }, query, { key, ...asked }),
    remember: (memory, key) => remember({ ...options, indexes }, memory, key),
    recent: (key, limit) => records.recent(key, { limit }),
    get: (id, key) => records.get(id, key),
    ...(embed ? { embedMissing: (key, asked) => embedMissing({ records, embed }, key, asked) } : {}),
  }
}

async function embedMissing(
  { records, embed }: { readonly records: MemoryRecords; readonly embed: EmbeddingModel },
  key: ServiceKey,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<number> {
  const missing = await records.withoutVector(embed.id, key, limit)
  if (missing.length === 0) return 0
  const texts = missing.map(({ text }) => text)
  const vectors = await embedTexts(embed, texts, { signal })
  const rows = missing.flatMap(({ id }, at) => {
    const values = vectors[at]
    return values === undefined ? [] : [{ memoryId: id, model: embed.id, values }]
  })
  await records.putVectors(rows, key)
  return rows.length
}

type Parts = MemoryServiceOptions & { readonly indexes: ScopeIndexes }

interface Asked {
  readonly key: ServiceKey
  readonly limit: number
  readonly signal: AbortSignal
  readonly excludeTurns?: readonly string[]
}

async function recall(parts: Parts, query: string, { key, limit, signal, excludeTurns = [] }: Asked): Promise<readonly Memory[]> {
  const { clock, weights, timeZone, embed, indexes } = parts
  const [index, vector] = await Promise.all([indexes.current(key), queryVector(parts, query, { key, signal })])
  const excluded = new Set(excludeTurns)
  const hits = index.index.rank({
    text: query,
    nowMs: clock.nowMs(),
    askedBy: key.user,
    askedOf: key.agent,
    // Each excluded turn has a question and an answer.
    limit: limit + excluded.size * 2,
    timeZone,
    weights,
    vector: vector && embed && { model: embed.id, values: vector },
  })
  const found = hits.flatMap(({ id, score, why }): Memory[] => {
    const memory = index.get(id)
    if (memory === undefined || excluded.has(memory.turnId)) return []
    const { text, speaker, kind, atMs, untrusted } = memory
    const said = kind === "dialogue" ? { speaker: speaker.name } : {}
    return [{ id, text, ...said, atMs, score, why, ...(untrusted === true ? { untrusted } : {}) }]
  })
  return found.slice(0, Math.max(0, limit))
}

/** The embedding of a query; undefined without an embedding model or if it fails. Words alone then find memories. */
async function queryVector(
  { embed, onWarning }: Parts,
  query: string,
  { key, signal }: Pick<Asked, "key" | "signal">,
): Promise<Float32Array | undefined> {
  if (embed === undefined || query.trim() === "") return undefined
  try {
    return (await embedTexts(embed, [query], { signal }))[0]
  } catch (error) {
    onWarning?.(`Recall went on without an embedding of the question: ${messageOf(error)}`, key)
    return undefined
  }
}

async function remember(parts: Parts, given: NewMemory, key: ServiceKey): Promise<Remembered> {
  const { records, embed } = parts
  const { supersedes = [], ...rest } = given
  const { agent, conversation, audience, user } = key
  const memory: StoredMemory = { agent, conversation, audience, user, ...rest }
  const similar = await similarMemory(parts, memory, key)
  if (similar.duplicateOf !== undefined && supersedes.length === 0) return { status: "duplicate", id: similar.duplicateOf }
  const replaced = [...supersedes, ...(similar.duplicateOf === undefined ? similar.supersedes : [])]
  const { stored, id } = await records.put(memory, { hash: memoryHash(memory), supersedes: replaced, key })
  // Kept at once, so that the next memory of the same turn is compared with this one.
  if (stored && embed && similar.vector)
    await records.putVectors([{ memoryId: id, model: embed.id, values: similar.vector }], key)
  return { status: stored ? "stored" : "duplicate", id }
}
