import type { ServiceKey, Speaker } from "../core/keys.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"

/** One turn to run: who says what, on which stack. */
export interface TurnInput {
  readonly key: ServiceKey
  readonly turnId: string
  readonly speaker: Speaker
  /** Empty where nobody spoke. */
  readonly text: string
  /** Why the agent begins by itself (R27). */
  readonly wake?: string
  /** Paths of files that came with the text (R8). */
  readonly files?: readonly string[]
  /** The session's stack; the turn works on a fork of it. */
  readonly stack: PromptStack
}
