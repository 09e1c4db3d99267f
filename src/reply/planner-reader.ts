import type { Reader } from "../core/reader.ts"
import type { DecisionEvent } from "./decision.ts"
import { type ClimbLadder, DecisionScan, type OutputScan, type ShownText } from "./decision-scan.ts"
import { createWellFormedReader, type StepCount } from "./incoming-text.ts"
import { StrictScan } from "./strict-scan.ts"

/** Options of {@link createPlannerReader}. */
export interface DecisionReaderOptions {
  /** Accept one bare, whole JSON object only: no prose, no fence, no repair, no plain text (T21). */
  readonly strict?: boolean
  /** The model's text begins inside a thought that only a closing tag ends (T22). */
  readonly opensInThought?: boolean
}

/** Options that only this library sets. */
export interface InnerOptions {
  /** False shows nothing of strict output before its end. */
  readonly streams?: boolean
  /** Counts the characters that the reader looks at. The count is linear in the output. */
  readonly count?: StepCount
}

/** A reader of planner output. */
export interface PlannerReader extends Reader<string, DecisionEvent> {
  /** True if `end`, were it called now, would climb the ladder. Once false it stays so. */
  needsLadder(): boolean
}

/** Reads planner output as `createDecisionReader` does, with a ladder that the caller may load when it is needed. */
export function createPlannerReader(options: DecisionReaderOptions & InnerOptions, climb: ClimbLadder): PlannerReader {
  const { strict = false, opensInThought = false, streams = true, count = { steps: 0 } } = options
  const wellFormed = createWellFormedReader()
  const shown: ShownText = { thinking: "", message: "" }
  let isShown = false
  const scan: OutputScan = strict
    ? new StrictScan({ opensInThought, streams }, shown, count)
    : new DecisionScan({ opensInThought, climb }, shown, count)
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
    needsLadder: () => scan.needsLadder === true,
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
