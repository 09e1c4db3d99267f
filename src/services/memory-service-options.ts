import type { ServiceKey } from "../core/keys.ts"
import type { Clock, Timers } from "../core/ports.ts"
import type { EmbeddingModel } from "./embed.ts"
import type { RecallWeights } from "./recall/recall-weights.ts"
import type { MemoryRecords } from "./store.ts"

/** What `createMemoryService` is made from. */
export interface MemoryServiceOptions {
  readonly records: MemoryRecords
  readonly clock: Clock
  /** Default: the host's. */
  readonly timers?: Timers
  /** Instead of the default weights of recall, one by one. */
  readonly weights?: Partial<RecallWeights>
  /** The IANA name in which "yesterday" is meant. Default UTC. */
  readonly timeZone?: string
  readonly embed?: EmbeddingModel
  /** With `embed`: from this cosine similarity on, a newer memory of the same speaker takes the older one's place, which is kept as history. Default: words alone decide. */
  readonly duplicateSimilarity?: number
  /** What all indexes together may take, about; the one in use may take more. Default 256 MB. */
  readonly maxIndexBytes?: number
  /** Told what went wrong with an embedding; recall and keeping go on by words. */
  readonly onWarning?: (message: string, key: ServiceKey) => void
}
