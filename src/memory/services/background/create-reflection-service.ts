import { checkOptions } from "../../../core/check-options.ts"
import { loadMemories } from "../load-memories.ts"
import type { ReflectionService, ReflectionServiceOptions, ReflectionWork } from "./reflection.ts"

/**
 * Creates a service that reflects with a model and the prompt `reflection`. Every insight is linked to memories that the model was shown:
 * those that it named, or all of them if it named none. `reflect` throws `decision` for an answer that cannot be read, and whatever
 * `ask` throws.
 */
export function createReflectionService(options: ReflectionServiceOptions): ReflectionService {
  checkOptions("createReflectionService", options, "ask records clock every importanceSum nextRunMs timeZone")
  let made: ReflectionWork | undefined
  const reflecting = async (): Promise<ReflectionWork> => {
    const { reflectingOn } = await loadMemories()
    made ??= reflectingOn(options)
    return made
  }
  return {
    nextRunMs: options.nextRunMs,
    due: async (...asked) => (await reflecting()).due(...asked),
    reflect: async (...given) => (await reflecting()).reflect(...given),
  }
}
