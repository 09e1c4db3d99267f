import type { SessionKey } from "../core/conversation.ts"
import type { PromptStrataError } from "../core/errors.ts"
import type { Assembly } from "../core/span.ts"
import type { RecalledMemory } from "../layers/turn-state.ts"
import type { FinishReason, Usage } from "../model/language-model.ts"
import type { Decision } from "../reply/decision.ts"
import type { ToolRecord, ToolRun } from "../tools/tool.ts"

/** One call of the model: what was asked, what came back, how it was read. */
export interface TraceStep {
  /** 1 for the turn's first call. */
  readonly step: number
  /** The prompt file: `planner`, `final`. */
  readonly prompt: string
  readonly model: string
  readonly assembly: Assembly
  /** Everything the model said, thinking included. */
  readonly output: string
  readonly decision?: Decision
  readonly usage?: Usage
  readonly finishReason?: FinishReason
  /** Why the call failed, if it did. */
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
  readonly message: string
}

/** The run of a child agent behind a tool (R25). */
export interface ChildTrace {
  /** The tool call that it answers: the `id` of a {@link ToolRun}. */
  readonly id: string
  readonly name: string
  /** As far as it had come where the call was given up. */
  readonly trace: TurnTrace
}

/** Everything observable of a turn (S11): plain JSON but for the error. */
export interface TurnTrace {
  readonly turnId: string
  /** Which process ran it (R24): `main-virtual`, or a child's name. */
  readonly process: string
  /** Why it began, where nobody spoke (R27). */
  readonly wake?: string
  readonly key: SessionKey
  readonly startedMs: number
  readonly durationMs: number
  readonly prestart: readonly ToolRun[]
  /** The memories that its prompts hold, the most relevant first, with what spoke for each; absent where there are none. */
  readonly recalled?: readonly RecalledMemory[]
  readonly steps: readonly TraceStep[]
  readonly runs: readonly ToolRun[]
  readonly warnings: readonly TurnWarning[]
  /** What tools did beside answering: files written, for one. */
  readonly records: readonly ToolRecord[]
  /** What ran inside its tool calls, in the order in which it began. */
  readonly children: readonly ChildTrace[]
  /** Its own calls' and its children's. */
  readonly usage: Usage
  readonly error?: PromptStrataError
}
