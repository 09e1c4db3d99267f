import type { PromptStrataError } from "../core/errors.ts"
import type { FileAttachment } from "../core/file-attachment.ts"
import type { Usage } from "../model/usage.ts"
import type { ToolRun } from "../tools/tool.ts"
import type { TurnTrace } from "./trace.ts"

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
