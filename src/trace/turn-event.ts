import type { FileAttachment } from "../core/conversation.ts"
import type { PromptStrataError } from "../core/errors.ts"
import type { FinishReason, Usage } from "../model/language-model.ts"
import type { Decision } from "../reply/decision.ts"
import type { ConfirmRequest, ToolProgress, ToolRun } from "../tools/tool.ts"
import type { TurnTrace, TurnWarning } from "./trace.ts"

/** Everything that happens in a turn, in order. The first is `turn-start`, the last always one `turn-end`. */
export type TurnEvent =
  | { readonly type: "turn-start"; readonly turnId: string; readonly atMs: number }
  | {
      readonly type: "prestart-start"
      readonly id: string
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
    }
  | { readonly type: "prestart-end"; readonly run: ToolRun }
  | {
      readonly type: "step-start"
      readonly step: number
      readonly prompt: string
      readonly tokens: number
      readonly exact: boolean
    }
  | { readonly type: "thinking-delta"; readonly step: number; readonly delta: string }
  /** Joined, these are the answer's text; bubbles are its paragraphs. */
  | { readonly type: "text-delta"; readonly delta: string }
  /** A bubble has ended (R9); an answer that marks none is one bubble, or one for each stretch between tool calls. */
  | { readonly type: "bubble"; readonly text: string }
  /** A file that the answer shows (R8), where it stands between the words. */
  | { readonly type: "attachment"; readonly attachment: FileAttachment }
  /** What the profile's format found in the answer (L4). */
  | { readonly type: "emotion"; readonly emotion: string }
  | { readonly type: "output-event"; readonly name: string; readonly data: unknown }
  /** The agent chose to say nothing (R10). */
  | { readonly type: "empty-reply" }
  | {
      readonly type: "step-end"
      readonly step: number
      readonly decision?: Decision
      readonly usage?: Usage
      readonly finishReason?: FinishReason
      /** Why the call failed, if it did. */
      readonly error?: string
    }
  | { readonly type: "retry"; readonly model: string; readonly delayMs: number; readonly reason: string }
  | { readonly type: "tool-start"; readonly id: string; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  /** Between the start and the end of a tool or prestart run that tells how far it is. */
  | { readonly type: "tool-progress"; readonly id: string; readonly tool: string; readonly progress: ToolProgress }
  | { readonly type: "tool-end"; readonly run: ToolRun }
  | { readonly type: "confirm-start"; readonly request: ConfirmRequest }
  | { readonly type: "confirm-end"; readonly request: ConfirmRequest; readonly confirmed: boolean }
  | { readonly type: "warning"; readonly warning: TurnWarning }
  /** Something that happened in a child agent that the tool call `id` runs (R25), between that call's start and its end. */
  | { readonly type: "child"; readonly id: string; readonly name: string; readonly event: TurnEvent }
  | { readonly type: "commit"; readonly version: number }
  | { readonly type: "turn-end"; readonly result: TurnResult }

/** Why a turn ended with an answer: the planner finished, a limit or a repeat forced the answer, or the answer was cut off. */
export type StopReason = "finish" | "max-steps" | "repeated-call" | "truncated"

/** What a failed turn had by then. */
export interface Gathered {
  readonly runs: readonly ToolRun[]
  /** The characters of the answer that were shown. */
  readonly text: string
}

/** How a turn ended (T19): an answer, or a typed error that keeps what was gathered. */
export type TurnResult =
  | {
      readonly ok: true
      readonly text: string
      /** Files that the answer shows, in order (R8); absent where it shows none. */
      readonly attachments?: readonly FileAttachment[]
      readonly stopReason: StopReason
      readonly usage: Usage
      readonly trace: TurnTrace
    }
  | { readonly ok: false; readonly error: PromptStrataError; readonly gathered: Gathered; readonly trace: TurnTrace }
