import type { ServiceKey } from "../core/keys.ts"
import type { AskModel } from "./background-job.ts"
import type { StoredMemory } from "./stored-memory.ts"

/** What several memories show together (T31), with the ids of those it rests on. */
export interface Insight {
  readonly text: string
  readonly sources: readonly string[]
}

/** Decides when to look back, and draws insights. */
export interface ReflectionService {
  /** True when enough has come together since the last time: by count, by importance or by schedule (T36). */
  due(key: ServiceKey): Promise<boolean>
  /** Insights of a higher level; none is a good answer. Called with at least one memory. */
  reflect(
    memories: readonly StoredMemory[],
    key: ServiceKey,
    options: {
      readonly signal: AbortSignal
      /** Asks in place of the service's own way to a model, so that what is asked is accounted for. */
      readonly ask?: AskModel
    },
  ): Promise<readonly Insight[]>
}
