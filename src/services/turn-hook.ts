import type { HistoryMessage } from "../core/history.ts"
import type { ServiceKey, Speaker } from "../core/keys.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { Memory } from "./memory.ts"
import type { MessageFilter, SessionNote } from "./session-store.ts"

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
  /** Empty where nobody spoke. */
  readonly question: string
  /** Why the agent begins by itself, where nobody spoke (R27). */
  readonly wake?: string
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
  /** When the turn began, in milliseconds since 1970: the time of the question. */
  readonly startedMs: number
  readonly signal: AbortSignal
  /** The conversation's messages, those outside the window too (R13). Tools that the hook adds can ask as well. */
  messages(filter: MessageFilter): Promise<readonly HistoryMessage[]>
  /** Finds what is remembered; absent where the agent has no memory or the conversation's is switched off (D2). */
  recall?(query: string, options: { readonly limit: number; readonly signal: AbortSignal }): Promise<readonly Memory[]>
  /** Shows the answer of an earlier turn in other words, in this turn's prompts (R12). */
  showAs(turnId: string, text: string): void
  /** Begins the history that this turn's prompts show with a turn's first message; one that is not in the window changes nothing (R11). */
  showFrom(turnId: string): void
  /** Hears of each tool run of the model's in this turn, once it has ended. What it throws is a warning. */
  onRun(listener: (run: ToolRun) => void): void
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
  readonly wake?: string
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
