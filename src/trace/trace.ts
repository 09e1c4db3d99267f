import type { SessionKey } from "../core/conversation.ts"
import type { PromptStrataError } from "../core/errors.ts"
import type { FinishReason, ModelReport, Usage } from "../core/model/language-model.ts"
import type { Assembly } from "../core/span.ts"
import type { RecalledMemory } from "../prompt/layers/turn-state.ts"
import type { ToolRecord, ToolRun } from "../prompt/tools/tool.ts"
import type { Decision } from "../reply/decision.ts"

/** One call of the model: the request, the output, and the decision read from it. */
export interface TraceStep {
  /** The number of the call in the turn, from 1. */
  readonly step: number
  /** The prompt file: `planner`, `final`. */
  readonly prompt: string
  readonly model: string
  readonly assembly: Assembly
  /** The whole output of the model, with its thinking. */
  readonly output: string
  readonly decision?: Decision
  readonly usage?: Usage
  readonly report?: ModelReport
  readonly finishReason?: FinishReason
  /** The reason if the call failed. */
  readonly error?: string
  readonly startedMs: number
  readonly durationMs: number
}

/** Something that went wrong without ending the turn. */
export interface TurnWarning {
  readonly kind:
    | "prestart"
    | "recall"
    | "hook"
    | "model"
    | "sanitised"
    | "decision"
    | "tool"
    | "commit"
    | "format"
    | "budget"
    | "document"
    | "plugin"
    | "file"
    | "mention"
    | "links"
  readonly message: string
}

/** The name of the process that talks (R24). It has the first-person context. */
export const mainProcess = "main-virtual"

/** The trace of a turn that asked no model and ran nothing. */
export function emptyTrace(turn: Pick<TurnTrace, "turnId" | "key" | "startedMs">): TurnTrace {
  const lists = { prestart: [], steps: [], runs: [], warnings: [], records: [], children: [] }
  return { ...turn, process: mainProcess, durationMs: 0, usage: {}, ...lists }
}

/** The run of a child agent behind a tool (R25). */
export interface ChildTrace {
  /** The tool call that it answers: the `id` of a {@link ToolRun}. */
  readonly id: string
  readonly name: string
  /** The trace of the child's turn. If the call was given up, it ends there. */
  readonly trace: TurnTrace
}

/** The meeting of a turn with others of its conversation (`[conversation] merge_ms`, `interrupt`). */
export interface MergedTurns {
  /** The ids of turns whose words it answers too, the oldest first. Most ended as `joined`; the answer of others failed. */
  readonly turns: readonly string[]
  /** The reason why the turn before it did not join it. */
  readonly waited?: string | undefined
}

/** The record of a turn (S11): plain JSON, except for the error. */
export interface TurnTrace {
  readonly turnId: string
  /** The process that ran the turn (R24): `main-virtual`, or a child's name. */
  readonly process: string
  /** The agent's colour, such as `#1D75B3`, for programs that show the turn (R29). */
  readonly colour?: string
  /** The reason of a turn without a user's message (R27). */
  readonly wake?: string
  /** The reason why `Session.receive` answered; absent in other turns. */
  readonly received?: string
  /** Absent if it met no other turn. */
  readonly merged?: MergedTurns
  readonly key: SessionKey
  readonly startedMs: number
  readonly durationMs: number
  readonly prestart: readonly ToolRun[]
  /** The memories in its prompts, the most relevant first, each with its scores; absent if there are none. */
  readonly recalled?: readonly RecalledMemory[]
  readonly steps: readonly TraceStep[]
  readonly runs: readonly ToolRun[]
  readonly warnings: readonly TurnWarning[]
  /** Tools whose call the answer owed and that did not come, although it was asked for (R16); absent if there are none. */
  readonly unreported?: readonly string[]
  /** Side effects of tools, such as written files. */
  readonly records: readonly ToolRecord[]
  /** The turns of child agents inside its tool calls, in the order in which they began. */
  readonly children: readonly ChildTrace[]
  /** The usage of its own calls and of its children's. */
  readonly usage: Usage
  readonly error?: PromptStrataError
}
