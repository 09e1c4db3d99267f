import type { FinishReason } from "../../model/model-part.ts"
import { recordOf, stringOf } from "../openai/json-access.ts"

/** Why a model stopped, and what a person should hear about it. */
export interface Finish {
  readonly reason: FinishReason
  readonly warning?: string
}

/** What a stream means that just ended. */
export const unfinished: Finish = { reason: "other", warning: "The stream ended without a finish reason." }

const reasons: ReadonlySet<string> = new Set<FinishReason>(["stop", "length", "tool-calls", "content-filter", "other"])

/** A finish reason of specification v2 (a word) or of v3 and v4 (a word and the provider's own). */
export function readFinish(wire: unknown): Finish {
  const { unified, raw } = recordOf(wire)
  const word = stringOf(unified) || stringOf(wire)
  if (word === "error") return { reason: "other", warning: "The model stopped because of an error." }
  // For a stream that just ended v4 says `interrupted`, v3 `other` with no word of the provider's, v2 `unknown`.
  const isCutOff = word === "" || word === "interrupted" || word === "unknown" || (unified === "other" && raw === undefined)
  return isCutOff ? unfinished : { reason: reasons.has(word) ? (word as FinishReason) : "other" }
}
