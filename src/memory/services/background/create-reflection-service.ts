import { checkOptions } from "../../../core/check-options.ts"
import { lateMethods, onDemand } from "../../../core/late.ts"
import { loadJudging } from "../load-memories.ts"
import type { ReflectionService, ReflectionServiceOptions } from "./reflection.ts"

/**
 * Creates a service that reflects with a model and the prompt `reflection`. Every insight is linked to memories that the model was shown:
 * those that it named, or all of them if it named none. `reflect` throws `decision` for an answer that cannot be read, and whatever
 * `ask` throws.
 */
export function createReflectionService(options: ReflectionServiceOptions): ReflectionService {
  checkOptions("createReflectionService", options, "ask records clock every importanceSum nextRunMs timeZone")
  const reflecting = onDemand(async () => (await loadJudging()).reflectingOn(options))
  return { nextRunMs: options.nextRunMs, ...lateMethods(reflecting, "due since reflect") }
}
