import { beginsWithMember, namesAction, readBraceless } from "./braceless.ts"
import type { Outcome } from "./candidate.ts"
import type { Decision } from "./decision.ts"
import type { Rung } from "./read-candidate.ts"
import { unreadable } from "./settle.ts"

/** Reads output in which no object was found that could be a decision: members without their brace, words, or neither. */
export function readRest({ text, others, inThought }: Outcome, rung: Rung): Decision {
  const words = text.trim()
  if (words === "") return unreadable("empty", text, 0, inThought)
  const first = text.indexOf("{")
  if (first < 0 && !namesAction(text) && !beginsWithMember(text))
    return { action: "finish", message: words, status: "plain-text" }
  const decision = readBraceless(rung, others[0]?.start)
  if (decision) return decision
  const other = others[0]
  return other ? unreadable("no-action", text, other.start) : unreadable("not-json", text, Math.max(first, 0))
}
