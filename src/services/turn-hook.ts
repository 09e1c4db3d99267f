import type { HistoryMessage } from "../core/history.ts"
import type { ServiceKey, Speaker } from "../core/keys.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { Tool } from "../tools/tool.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { SessionNote } from "./session-store.ts"

/**
 * What a hook keeps with a session: plain JSON, committed with the turn in which it was set, gone with an aborted one. Tools that
 * the hook added can set it as long as their turn runs; a hook that came too late sets nothing.
 */
export interface HookState {
  get(): unknown
  set(value: unknown): void
}

/** What a hook gets before a turn. */
export interface BeforeTurnContext {
  readonly turnId: string
  readonly key: ServiceKey
  readonly speaker: Speaker
  readonly question: string
  /** The window of the conversation before the question, oldest first: what this turn's prompt can show of it. */
  readonly history: readonly HistoryMessage[]
  /** False where the conversation's memory is switched off: then nothing remembered is read or written (D2). */
  readonly memoryOn: boolean
  /** Add `turn` items (gone after this turn) or `session` items (kept when the turn commits). Late additions are ignored. */
  readonly stack: PromptStack
  /** This hook's own, in this session. */
  readonly state: HookState
  /** What was left for this hook since the last turn; taken when this turn commits, else the next one gets it again. */
  readonly notes: readonly SessionNote[]
  /** The turn's number in its conversation, from 0. */
  readonly turn: number
  readonly signal: AbortSignal
  /** Adds tools for this turn. One whose name is taken is left out and reported. */
  addTools(tools: readonly Tool[]): void
  /** Leaves out tools in this turn; one that is added under the same name takes its place, as visible as it was. */
  withdrawTools(names: readonly string[]): void
  /** Reports what went wrong without breaking the hook: a warning of the turn. Late ones are ignored. */
  warn(message: string): void
}

/** What a hook gets after a turn. */
export interface AfterTurnContext {
  readonly turnId: string
  readonly key: ServiceKey
  readonly speaker: Speaker
  readonly question: string
  readonly memoryOn: boolean
  /** How the turn ended, with its trace; a failed turn too. */
  readonly result: TurnResult
  readonly signal: AbortSignal
}

/**
 * Code that runs around turns, in the order given. `beforeTurn` runs beside the other preparations, within
 * `limits.prestartMs`. `afterTurn` runs in the background once the turn has ended, within `limits.toolMs`, and keeps
 * nobody waiting but `agent.idle()`. One that throws or hangs is reported as a warning and never breaks the turn.
 */
export interface TurnHook {
  /** Unique among an agent's hooks: its state is kept under it. */
  readonly name: string
  beforeTurn?(context: BeforeTurnContext): void | Promise<void>
  afterTurn?(context: AfterTurnContext): void | Promise<void>
}
