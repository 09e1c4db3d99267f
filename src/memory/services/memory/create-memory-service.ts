import { checkOptions } from "../../../core/check-options.ts"
import { lateMethods, onDemand } from "../../../core/late.ts"
import { loadMemories } from "../load-memories.ts"
import { checkWeights, defaultRecallWeights } from "../recall/recall-weights.ts"
import type { FuseOptions, RankedText } from "./fuse-rankings.ts"
import type { MemoryServiceOptions } from "./memory-service.ts"
import type { RecordedMemoryService } from "./recorded-memories.ts"

/**
 * Creates a memory service over a store's records. It finds duplicates by normalised text and recalls by words, speakers and times, in
 * the same way on every store. The index of each user and group is made when it is first needed, then updated with changes.
 */
export function createMemoryService(options: MemoryServiceOptions): RecordedMemoryService {
  checkOptions(
    "createMemoryService",
    options,
    "records clock timers weights timeZone embed embedTimeoutMs rerank rerankTimeoutMs duplicateSimilarity maxIndexBytes onWarning",
  )
  checkOptions("weights of createMemoryService", options.weights ?? {}, defaultRecallWeights)
  checkWeights(options.weights ?? {}, "createMemoryService")
  const { records, embed } = options
  const memories = onDemand(async () => (await loadMemories()).recordedMemories(options))
  return {
    ...lateMethods(memories, "recall remember"),
    ...(embed && options.duplicateSimilarity !== undefined ? {} : lateMethods(memories, "plan")),
    used: (ids, key, { atMs }) => records.markUsed(ids, { atMs, key }),
    recent: (key, limit) => records.recent(key, { limit }),
    get: (id, key) => records.get(id, key),
    forget: (ids, key, options) => records.forget(ids, { ...options, key }),
    ...(embed ? { embedMissing: async (...asked) => (await memories()).embedMissing(embed, ...asked) } : {}),
  }
}

/**
 * Fuses a ranking by words with the ids that an embedding ranks best first, as recall does. The embedding counts less the more of the
 * question the words cover, and the less it agrees with them, so that one that does not suit the texts ruins nothing. An id that only one
 * of them has counts 0 in the other. Returns every id once, best first. Throws `usage` for a score or an option that is out of its range.
 */
export async function fuseRankings(
  words: readonly RankedText[],
  near: readonly string[],
  options: FuseOptions,
): Promise<readonly RankedText[]> {
  return (await loadMemories()).fused(words, near, options)
}
