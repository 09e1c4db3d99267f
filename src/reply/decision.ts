import type { ThinkingFault } from "./thinking.ts"

/** How well the output could be read: as written, repaired, cut off inside the message or in a thought behind it, or words without a decision. */
export type DecisionStatus = "complete" | "repaired" | "truncated" | "plain-text"

/** The decision of the planner (T14). `unreadable` is output whose meaning is lost; its `fault` says why, for a re-prompt. */
export type Decision =
  | {
      readonly action: "tool"
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
      /** A message beside the call. It is not shown. */
      readonly ignored?: string
      /** A name that stood twice in the call. Only its first value counts. */
      readonly repeatedName?: string
      readonly status: DecisionStatus
    }
  | {
      readonly action: "finish"
      readonly message?: string
      readonly note?: string
      /** A call beside the message: a report that comes with the answer (R16). */
      readonly call?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
      /** The beginning of a call beside the message that cannot be read, at most 80 characters. It is not run. */
      readonly ignored?: string
      /** A name that stood twice in the decision. Only its first value counts. */
      readonly repeatedName?: string
      readonly status: DecisionStatus
    }
  | { readonly action: "unreadable"; readonly fault: DecisionFault; readonly status: "truncated" | "malformed" }

/** The reason why output could not be read, as data. Its words for the model are in `prompts/`. */
export interface DecisionFault {
  readonly kind:
    | "unterminated"
    | "not-json"
    | "no-action"
    | "unknown-action"
    | "no-tool"
    | "args-not-object"
    | "too-deep"
    | "message-not-text"
    | "empty"
    /** An answer, or another call, in place of the call that had to be made. */
    | "call-required"
    /** A call where none may be made. */
    | "call-forbidden"
  /** The place where reading stopped, in UTF-16 units of the output without its thinking. */
  readonly at?: number
  /** The characters around that place, at most 80. */
  readonly excerpt: string
}

/** An event of `createDecisionReader`. The last event is always a `decision`, and it is the only one. */
export type DecisionEvent =
  | { readonly type: "message-delta"; readonly delta: string }
  | { readonly type: "thinking-delta"; readonly delta: string }
  | {
      readonly type: "decision"
      readonly decision: Decision
      /** The beginning of what was left out: a further decision in the same output, or a part of this one. At most 80 characters. */
      readonly ignored?: string | undefined
      /** A closed thought was taken out of a line of an answer in prose. It may have been words about the tags. */
      readonly thinkingFault?: ThinkingFault | undefined
    }

/** The last event of `createDecisionReader`. */
export type DecisionEnd = Extract<DecisionEvent, { readonly type: "decision" }>
