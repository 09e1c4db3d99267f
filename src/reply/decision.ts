/**
 * How well the output could be read: as written, after repair, cut off in mid-message, or as words without any decision.
 */
export type DecisionStatus = "complete" | "repaired" | "truncated" | "plain-text"

/**
 * What the planner decided (T14). `unreadable` is output whose meaning is lost; `fault` says so in a sentence for a
 * re-prompt.
 */
export type Decision =
  | {
      readonly action: "tool"
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
      readonly status: DecisionStatus
    }
  | {
      readonly action: "finish"
      readonly message?: string
      readonly note?: string
      /** A tool that it names beside its message, with arguments: a report that comes with the answer (R16). */
      readonly call?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
      readonly status: DecisionStatus
    }
  | { readonly action: "unreadable"; readonly fault: DecisionFault; readonly status: "truncated" | "malformed" }

/** Why output could not be read, as data: the words for it live in `prompts/`. */
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
  /** Where reading stopped, in UTF-16 units of the output without its thinking. */
  readonly at?: number
  /** The characters around, at most 80. */
  readonly excerpt: string
}

/** What `createDecisionReader` yields; the last event is always one `decision`. */
export type DecisionEvent =
  | { readonly type: "message-delta"; readonly delta: string }
  | { readonly type: "thinking-delta"; readonly delta: string }
  | { readonly type: "decision"; readonly decision: Decision }
