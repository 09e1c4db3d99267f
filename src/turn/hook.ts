import type { ServiceKey } from "../core/keys.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"

/** What a hook gets before a turn. */
export interface BeforeTurnContext {
  readonly turnId: string
  readonly key: ServiceKey
  readonly question: string
  /** Add `turn` items (gone after this turn) or `session` items (kept when the turn commits). Late additions are ignored. */
  readonly stack: PromptStack
  readonly signal: AbortSignal
}

/**
 * Code that runs before a turn, in the order given and beside the other preparations, within `limits.prestartMs`.
 * One that throws or hangs is reported as a warning and never breaks the turn.
 */
export interface TurnHook {
  readonly name: string
  beforeTurn(context: BeforeTurnContext): void | Promise<void>
}
