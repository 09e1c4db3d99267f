import type { FileAttachment } from "../core/conversation.ts"
import type { PromptStrataError } from "../core/errors.ts"
import type { Usage } from "../core/model/language-model.ts"
import type { Approval, ConfirmRequest, ToolProgress, ToolRun } from "../prompt/tools/tool.ts"
import type { TraceStep, TurnTrace, TurnWarning } from "./trace.ts"

/** An event of a turn. The first event is `turn-start`; the last one is always a single `turn-end`. */
export type TurnEvent =
  /** `colour` is the agent's, such as `#1D75B3` (R29), `links` the hosts of its profile's `[output] links`, `people` the names of a group's speakers. */
  | {
      readonly type: "turn-start"
      readonly turnId: string
      readonly atMs: number
      readonly colour?: string
      readonly links?: readonly string[]
      readonly people?: readonly string[]
    }
  /** `Session.receive` decided about words. It follows `turn-start`; of words that were only heard it comes alone, to observers. */
  | { readonly type: "answer-decision"; readonly answers: boolean; readonly reason: string }
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
  /** A piece of the answer's text. Joined, the pieces are the text. */
  | { readonly type: "text-delta"; readonly delta: string }
  /** A bubble has ended (R9). An answer without marks is one bubble, or one bubble between two tool calls. `emotions` are those that its words have (L4). */
  | { readonly type: "bubble"; readonly text: string; readonly emotions?: readonly string[] }
  /** A file that the answer shows (R8). It follows the bubble that it stands in, because the words of that bubble introduce it. */
  | { readonly type: "attachment"; readonly attachment: FileAttachment }
  /** An emotion that the profile's format found in the answer (L4), with the asset of the character card that shows it (C12). */
  | { readonly type: "emotion"; readonly emotion: string; readonly asset?: string }
  /** The value of a structured answer so far, not yet checked: a beginning of the next one, unless the model was asked again. */
  | { readonly type: "partial-output"; readonly value: unknown }
  | { readonly type: "output-event"; readonly name: string; readonly data: unknown }
  /** The agent chose to say nothing (R10). */
  | { readonly type: "empty-reply" }
  | ({ readonly type: "step-end" } & Pick<TraceStep, "step" | "decision" | "usage" | "report" | "finishReason" | "error">)
  | { readonly type: "retry"; readonly model: string; readonly delayMs: number; readonly reason: string }
  | { readonly type: "tool-start"; readonly id: string; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  /** The progress of a tool or prestart run, between its start and its end. */
  | { readonly type: "tool-progress"; readonly id: string; readonly tool: string; readonly progress: ToolProgress }
  | { readonly type: "tool-end"; readonly run: ToolRun }
  /** A person is asked about the tool call `id`. */
  | { readonly type: "confirm-start"; readonly id: string; readonly request: ConfirmRequest }
  | { readonly type: "confirm-end"; readonly id: string; readonly request: ConfirmRequest; readonly confirmed: boolean }
  | { readonly type: "warning"; readonly warning: TurnWarning }
  /** An event of the child agent that the tool call `id` runs (R25), between the start and the end of that call. */
  | { readonly type: "child"; readonly id: string; readonly name: string; readonly event: TurnEvent }
  | { readonly type: "commit"; readonly version: number }
  | { readonly type: "turn-end"; readonly result: TurnResult }

/** The reason why a turn ended with an answer: the planner finished; a limit, a repeated call or the caller's `stopWhen` forced it; it was cut off; or, without an answer, a call waits for an approval or for a result from outside, or the words joined those of a newer message, whose turn answers both. */
export type StopReason = "finish" | "awaiting-approval" | "joined" | "max-steps" | "repeated-call" | "stopped" | "truncated"

/** The results of a failed turn so far. */
export interface GatheredResult {
  readonly runs: readonly ToolRun[]
  /** The part of the answer that was shown already. */
  readonly text: string
}

/** A call of a tool that the caller of the turn runs. */
export type OutsideCall = Pick<ToolRun, "id" | "tool" | "args">

/** The result of a turn (T19): an answer, or a typed error with what was gathered so far. */
export type TurnResult = TurnAnswer | TurnFailure

/** The result of a turn that answered, or that waits. */
export interface TurnAnswer {
  readonly ok: true
  readonly text: string
  /** The value of a structured answer, as its schema returns it; absent in other turns. */
  readonly output?: unknown
  /** The calls that wait for an answer, if the turn ended as `awaiting-approval`: `Session.approve` and `Session.deny` go on with it. */
  readonly approvals?: readonly Approval[]
  /** The calls of tools that run outside, if the turn ended as `awaiting-approval` for their results; `Session.answerCall` goes on with it. */
  readonly calls?: readonly OutsideCall[]
  /** The id of the turn that answers these words, if the turn ended as `joined`. `text` is then empty. */
  readonly joinedTo?: string
  /** Files that the answer shows, in order (R8); absent if there are none. */
  readonly attachments?: readonly FileAttachment[]
  readonly stopReason: StopReason
  readonly usage: Usage
  readonly trace: TurnTrace
}

/** The result of a turn that failed. */
export interface TurnFailure {
  readonly ok: false
  readonly error: PromptStrataError
  readonly gathered: GatheredResult
  readonly trace: TurnTrace
}
