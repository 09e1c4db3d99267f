import type { ServiceKey, Speaker } from "../core/keys.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"

/** One turn to run: who says what, on which stack. */
export interface TurnInput {
  readonly key: ServiceKey
  readonly turnId: string
  readonly speaker: Speaker
  readonly text: string
  /** The session's stack; the turn works on a fork of it. */
  readonly stack: PromptStack
}
