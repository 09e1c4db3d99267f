import type { Reading } from "../reply/readings.ts"
import type { BrokenDecision } from "./broken-decisions.ts"

/**
 * What a reader makes of a broken output. `cut`: only a beginning was shown, or nothing, and said to be; `all, cut`: all
 * was shown, but not known to be all; `shown`: something that was not to be shown.
 */
export type Outcome = "as meant" | "all, cut" | "cut" | "refused" | "another call" | "another answer" | "shown"

/** Judges a reading by what was meant. */
export function outcomeOf({ meant }: BrokenDecision, { decision, message }: Reading): Outcome {
  if (decision === undefined || (message !== "" && (meant.action === "tool" || decision.action !== "finish"))) return "shown"
  if (decision.action === "unreadable") return "refused"
  const isWhole = decision.status === "complete" || decision.status === "repaired"
  if (decision.action === "tool") {
    const isSame = meant.action === "tool" && decision.tool === meant.tool && isEqual(decision.args, meant.args)
    return isSame && isWhole ? "as meant" : "another call"
  }
  if (meant.action === "tool") return "another answer"
  if (message === meant.message) return isWhole ? "as meant" : "all, cut"
  const isCut = message === "" ? decision.message === undefined : meant.message.startsWith(message) && !isWhole
  return isCut ? "cut" : "another answer"
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
