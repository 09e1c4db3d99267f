import type { FileAttachment } from "../core/file-attachment.ts"
import type { FinishReason } from "../model/model-part.ts"
import type { Usage } from "../model/usage.ts"
import type { Decision } from "../reply/decision.ts"
import type { ConfirmRequest, ToolProgress, ToolRun } from "../tools/tool.ts"
import type { TurnWarning } from "./trace.ts"
import type { TurnResult } from "./turn-result.ts"

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
