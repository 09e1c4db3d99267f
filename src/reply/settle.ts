import type { Decision, DecisionFault } from "./decision.ts"
import type { DecisionMembers } from "./decision-members.ts"
import type { Interpretation } from "./interpret-decision.ts"

const excerptCharacters = 80

/** The decision that was found, at best of `status`; where it makes no sense, what is wrong with it, at `at` of `text`. */
export function settle(found: Interpretation, status: "complete" | "repaired", text: string, at: number): Decision {
  if (found.action === "unreadable") return unreadable(found.kind, text, at)
  const { exact, ...decision } = found
  return { ...decision, status: exact ? status : "repaired" }
}

/** A finish whose object was cut off or broken: the message as far as it came, `truncated` unless it was whole. */
export function settleUnfinishedFinish(members: DecisionMembers): Decision {
  const message = members.gate.text
  const note = members.values.get("note")
  return {
    action: "finish",
    ...(message.trim() === "" ? {} : { message }),
    ...(typeof note === "string" && note.trim() !== "" ? { note } : {}),
    status: members.values.has("message") ? "repaired" : "truncated",
  }
}

/** Output that cannot be read, with the characters around `at`. */
export function unreadable(kind: DecisionFault["kind"], text: string, at: number, cutOff = kind === "unterminated"): Decision {
  const start = Math.max(0, Math.min(at - excerptCharacters / 2, text.length - excerptCharacters))
  const excerpt = text.slice(start, start + excerptCharacters).toWellFormed()
  return { action: "unreadable", fault: { kind, at, excerpt }, status: cutOff ? "truncated" : "malformed" }
}
