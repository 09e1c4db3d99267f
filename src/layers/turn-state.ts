import type { HistoryMessage, KeptPrestart } from "../core/history.ts"
import type { Speaker } from "../core/keys.ts"
import type { ToolCall } from "../core/message.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"

/** One memory, as recall hands it back. */
export interface RecalledMemory {
  readonly text: string
}

/**
 * One thing the planner did in this turn, for dialects that append: its call and what came back, or a fault with its
 * re-prompt. A `notice` is a sentence of the dialect whose values are encoded already; it stands as it is.
 */
export type PlannerStep =
  | { readonly type: "run"; readonly call: string; readonly run: ToolRun }
  | { readonly type: "native"; readonly text: string; readonly calls: readonly ToolCall[]; readonly runs: readonly ToolRun[] }
  | { readonly type: "fault"; readonly output: string; readonly notice: string }

/** Everything a turn knows that its prompts can show. */
export interface TurnState {
  readonly question: { readonly speaker: Speaker; readonly text: string }
  /** True where several people speak: then lines carry their speaker. */
  readonly group: boolean
  readonly agentName: string
  /** False where the conversation's memory is switched off (D2); the flag `memory_on` in prompts. Default true. */
  readonly memoryOn?: boolean
  /** The window of history before the question, oldest first (T30). */
  readonly history: readonly HistoryMessage[]
  readonly memories: readonly RecalledMemory[]
  readonly prestart: readonly KeptPrestart[]
  readonly tools: readonly Tool[]
  readonly runs: readonly ToolRun[]
  readonly steps: readonly PlannerStep[]
  /** The planner's advice for the final output (T12). */
  readonly note?: string
  /** Why the planner's last output could not be read (T21): a sentence of the dialect whose values are encoded already. */
  readonly fault?: string
}
