import { checkOptions, checkType } from "../core/check-options.ts"
import { invariant } from "../core/errors.ts"
import type { Reader } from "../core/reader.ts"
import type { Decision, DecisionEvent } from "./decision.ts"
import { climbLadder } from "./ladder.ts"
import { createPlannerReader, type DecisionReaderOptions, type InnerOptions } from "./planner-reader.ts"

/**
 * Reads planner output as it streams (T21–T23). It yields the characters of the message as they arrive, thinking apart from
 * them, and last, from `end`, exactly one `decision`. The message deltas, joined, are the message of that decision, however
 * the output was cut. It never throws for anything the model writes.
 */
export function createDecisionReader(options: DecisionReaderOptions & InnerOptions = {}): Reader<string, DecisionEvent> {
  checkOptions("createDecisionReader", options, "strict opensInThought streams")
  const { push, end } = createPlannerReader(options)
  return { push, end: () => end(climbLadder) }
}

/**
 * Reads a whole planner output and returns the decision that {@link createDecisionReader} ends with. It shows nothing on the
 * way, so `strict` also refuses output whose beginning a stream would have shown before the fault.
 */
export function readDecision(text: string, options: DecisionReaderOptions = {}): Decision {
  checkType("the text of readDecision", text, "string")
  checkType("options of readDecision", options, "object")
  const reader = createDecisionReader({ ...options, streams: options.strict !== true })
  reader.push(text)
  const last = reader.end().at(-1)
  invariant(last?.type === "decision", "a decision reader ends with its decision")
  return last.decision
}
