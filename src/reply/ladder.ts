import type { Decision } from "./decision.ts"
import type { DecisionMembers } from "./decision-members.ts"
import { interpretDecision, isWholeCall, type MemberValue } from "./interpret-decision.ts"
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "./json-value.ts"
import { createJsonRepair } from "./repair-json.ts"
import { settle, settleUnfinishedFinish, unreadable } from "./settle.ts"
import type { StepCount } from "./step-count.ts"

/** An object in the output that may be the decision; offsets are UTF-16 units of the output without its thinking. */
export interface Candidate {
  readonly start: number
  readonly end: number
  /** `whole` is JSON with an `action`; `loose` has its closing brace but is no JSON; `unfinished` has none. */
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

interface Rung extends Outcome {
  readonly count: StepCount
  readonly repair: (text: string) => JsonValue | symbol | undefined
}

/**
 * The rungs of T21 that need the whole output, for output of which nothing was shown: the candidates in order, repaired
 * where they are no JSON; an object with an action inside one without; repair of everything from the first brace to the
 * last, for an answer only; words without any brace. What was cut off is never taken for a call.
 */
export function climbLadder(outcome: Outcome, count: StepCount): Decision {
  const rung = { ...outcome, count, repair: createJsonRepair(count) }
  let fault: Decision | undefined
  for (const candidate of outcome.candidates) {
    const decision = readCandidate(candidate, rung)
    const isFinal = candidate.form === "unfinished" || candidate.members.actionSeen
    if (decision.action !== "unreadable" || isFinal) return decision
    fault ??= decision
  }
  return readNested(rung) ?? fault ?? readRest(rung)
}

function readCandidate(candidate: Candidate, { text, count, repair }: Rung): Decision {
  const { form, start, end, members, flawed } = candidate
  if (form === "whole") {
    const status = flawed || members.understood ? "repaired" : "complete"
    return settle(interpretDecision(members.values, count), status, text, start)
  }
  if (form === "loose") {
    const repaired = repair(text.slice(start, end))
    if (!hasAction(repaired)) return unreadable("not-json", text, start)
    const found = interpretDecision(membersOf(repaired), count)
    if (found.action === "tool" && hasStrayBrace(text, end)) return unreadable("not-json", text, end)
    return settle(found, "repaired", text, start)
  }
  if (members.action === "finish") return settleUnfinishedFinish(members)
  if (members.action === "tool" && isWholeCall(members.values)) {
    return settle(interpretDecision(members.values, count), "repaired", text, start)
  }
  return unreadable("unterminated", text, text.length)
}

function readNested({ text, others, count }: Rung): Decision | undefined {
  let fault: Decision | undefined
  for (const { start, end } of others) {
    const found = findNested(parseJson(text.slice(start, end), count))
    const decision = found && settle(interpretDecision(membersOf(found), count), "repaired", text, start)
    if (decision && decision.action !== "unreadable") return decision
    fault ??= decision
  }
  return fault
}

function readRest({ text, others, inThought, count, repair }: Rung): Decision {
  const words = text.trim()
  if (words === "") return unreadable("empty", text, 0, inThought)
  const first = text.indexOf("{")
  if (first < 0) return { action: "finish", message: words, status: "plain-text" }
  const other = others[0]
  if (other) return unreadable("no-action", text, other.start)
  const repaired = repair(text.slice(first, text.lastIndexOf("}") + 1))
  const found = hasAction(repaired) ? interpretDecision(membersOf(repaired), count) : undefined
  if (found?.action === "finish") return settle(found, "repaired", text, first)
  return unreadable("not-json", text, first)
}

/** A closing brace before any opening one: the object before did not end where it seemed to, and arguments may be missing. */
function hasStrayBrace(text: string, from: number): boolean {
  const closing = text.indexOf("}", from)
  const opening = text.indexOf("{", from)
  return closing >= 0 && (opening < 0 || closing < opening)
}

/** The first object with an action inside `value`, an outer one before those in it. */
function findNested(value: JsonValue | symbol | undefined): JsonObject | undefined {
  if (typeof value !== "object" || value === null) return undefined
  for (const inner of Object.values(value)) {
    const found = hasAction(inner) ? inner : findNested(inner)
    if (found) return found
  }
  return undefined
}

function hasAction(value: JsonValue | symbol | undefined): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, "action")
}

function membersOf(object: JsonObject): ReadonlyMap<string, MemberValue> {
  return new Map(Object.entries(object))
}
