import { hashText } from "../../../src/core/fingerprint.ts"
import type { RecallDocument } from "../../../src/memory/services/recall/recall-query.ts"

/** A question that somebody may ask about a chat later. */
export interface SetQuestion {
  readonly kind: "who" | "when" | "which" | "how many" | "changed" | "never"
  readonly text: string
  /** Every group is needed; of the lines of a group one is enough. None: the chat has no answer. */
  readonly evidence: readonly (readonly string[])[]
}

/** A chat with questions about it. */
export interface RecallChat {
  readonly id: string
  readonly lines: readonly RecallDocument[]
  readonly questions: readonly SetQuestion[]
  readonly nowMs: number
  /** The id of the speaker that "I" means, and of the one that "you" means. */
  readonly askedBy: string
  readonly askedOf: string
}

/** The half of the data that a chat belongs to: its id alone decides, and did before anything was measured. */
export function halfOf(id: string): "development" | "held-out" {
  return ((hashText(id).low >>> 16) & 1) === 0 ? "development" : "held-out"
}
