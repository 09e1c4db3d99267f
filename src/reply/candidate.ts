import type { DecisionMembers } from "./decision-members.ts"

/** An object in the output that may be the decision; offsets are UTF-16 units of the output without its thinking. */
export interface Candidate {
  readonly start: number
  readonly end: number
  /** `whole` is JSON with an `action`; `loose` seems to have its closing brace but is no JSON; `unfinished` has none. */
  readonly form: "whole" | "loose" | "unfinished"
  readonly members: DecisionMembers
  /** True when a string held something JSON does not allow. */
  readonly flawed: boolean
}

/** The output at its end, as far as it was understood while it came. */
export interface Outcome {
  /** The output without its thinking. */
  readonly text: string
  readonly candidates: readonly Candidate[]
  /** Whole objects without an `action`. */
  readonly others: readonly { readonly start: number; readonly end: number }[]
  /** True when the output ended inside a thought. */
  readonly inThought: boolean
}
