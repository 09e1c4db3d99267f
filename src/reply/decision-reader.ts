import { checkOptions, checkType } from "../core/check-options.ts"
import { invariant } from "../core/errors.ts"
import type { Reader } from "../core/reader.ts"
import type { Decision, DecisionEvent } from "./decision.ts"
import { DecisionScan, type OutputScan, type ShownText } from "./decision-scan.ts"
import { createWellFormedReader, type StepCount } from "./incoming-text.ts"
import { StrictScan } from "./strict-scan.ts"

/** Options of {@link createDecisionReader} and {@link readDecision}. */
export interface DecisionReaderOptions {
  /** Accept one bare, whole JSON object only: no prose, no fence, no repair, no plain text (T21). */
  readonly strict?: boolean
  /** The model's text begins inside a thought that only a closing tag ends (T22). */
  readonly opensInThought?: boolean
}

/** Options that only this library sets. */
interface InnerOptions {
  /** False shows nothing of strict output before its end. */
  readonly streams?: boolean
  /** Counts the characters that the reader looks at. The count is linear in the output. */
  readonly count?: StepCount
}

/**
 * Reads planner output as it streams (T21–T23). It yields the characters of the message as they arrive, thinking apart from
 * them, and last, from `end`, exactly one `decision`. The message deltas, joined, are the message of that decision, however
 * the output was cut. It never throws for anything the model writes.
 */
export function createDecisionReader(options: DecisionReaderOptions & InnerOptions = {}): Reader<string, DecisionEvent> {
  checkOptions("createDecisionReader", options, "strict opensInThought streams count")
  const { strict = false, opensInThought = false, streams = true, count = { steps: 0 } } = options
  const wellFormed = createWellFormedReader()
  const shown: ShownText = { thinking: "", message: "" }
  let isShown = false
  const scan: OutputScan = strict
    ? new StrictScan({ opensInThought, streams }, shown, count)
    : new DecisionScan({ opensInThought }, shown, count)
  const take = (): DecisionEvent[] => {
    const { thinking, message } = shown
    const events: DecisionEvent[] = message === "" ? [] : [{ type: "message-delta", delta: message }]
    if (thinking !== "") events.unshift({ type: "thinking-delta", delta: thinking })
    isShown ||= message !== ""
    shown.thinking = ""
    shown.message = ""
    return events
  }
  return {
    push(chunk) {
      for (const piece of wellFormed.push(chunk)) scan.feed(piece)
      return take()
    },
    end() {
      for (const piece of wellFormed.end()) scan.feed(piece)
      const decision = scan.end()
      if (!isShown && shown.message === "" && decision.action === "finish") shown.message = decision.message ?? ""
      const own = decision.action === "unreadable" ? undefined : decision.ignored
      return [...take(), { type: "decision", decision, ignored: scan.ignored ?? own, thinkingFault: scan.thinkingFault }]
    },
  }
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
