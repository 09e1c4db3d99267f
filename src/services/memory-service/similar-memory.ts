import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { hostTimers } from "../../core/host-timers.ts"
import type { ServiceKey } from "../../core/keys.ts"
import { whatHappened, within } from "../../core/within.ts"
import type { MemoryServiceOptions } from "../memory-service-options.ts"
import type { StoredMemory } from "../stored-memory.ts"
import { embedTexts } from "./embed-texts.ts"

/** How many of the newest memories a new one is compared with. */
const compared = 200
const timeoutMs = 10_000

/** What embeddings say of a new memory: its vector, what it takes the place of, or a newer memory that says the same. */
export interface Similarity {
  readonly vector?: Float32Array
  readonly supersedes: readonly string[]
  readonly duplicateOf?: string
}

/**
 * Looks for memories of the same speaker and audience whose embeddings are as good as the same. Of two, the one that was said later
 * holds; nothing is found where embeddings do not decide, or cannot be made.
 */
export async function similarMemory(
  { records, embed, duplicateSimilarity, timers = hostTimers, onWarning }: MemoryServiceOptions,
  memory: StoredMemory,
  key: ServiceKey,
): Promise<Similarity> {
  if (embed === undefined || duplicateSimilarity === undefined) return { supersedes: [] }
  if ((await records.get(memory.id, key)) !== undefined) return { supersedes: [] }
  try {
    const embedded = await within({ timeoutMs, signal: new AbortController().signal, timers }, (signal) =>
      embedTexts(embed, [memory.text], { signal }),
    )
    if (embedded.status !== "done") throw new PromptStrataError("model", `embedding ${whatHappened(embedded, timeoutMs)}`)
    const [vector] = embedded.value
    if (vector === undefined) return { supersedes: [] }
    const recent = await records.recent(key, { limit: compared, kinds: [memory.kind] })
    const others = new Map(recent.filter((other) => isComparable(memory, other)).map((other) => [other.id, other]))
    const vectors = await records.vectors([...others.keys()], embed.id, key)
    const similar = vectors.filter(({ values }) => cosine(vector, values) >= duplicateSimilarity).map(({ memoryId }) => memoryId)
    const newer = similar.find((id) => (others.get(id)?.atMs ?? 0) > memory.atMs)
    return { vector, supersedes: similar, ...(newer === undefined ? {} : { duplicateOf: newer }) }
  } catch (error) {
    onWarning?.(`Duplicates were looked for by words alone: ${messageOf(error)}`, key)
    return { supersedes: [] }
  }
}

function isComparable(memory: StoredMemory, other: StoredMemory): boolean {
  return other.speaker.id === memory.speaker.id && other.user === memory.user && other.audience === memory.audience
}

function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let [product, ofA, ofB] = [0, 0, 0]
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0
    product += value * other
    ofA += value * value
    ofB += other * other
  }
  return ofA === 0 || ofB === 0 ? 0 : product / Math.sqrt(ofA * ofB)
}
