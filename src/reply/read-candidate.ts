import { braceBalance, hasUnopenedBrace, mayBeCut, mayBeStretched, memberAfter } from "./after-object.ts"
import type { Candidate } from "./candidate.ts"
import type { Decision } from "./decision.ts"
import type { StepCount } from "./incoming-text.ts"
import { interpretDecision, isDecisionMember, isWholeCall, namesCall, readAction } from "./interpret-decision.ts"
import type { JsonObject } from "./json/json-value.ts"
import type { JsonRepair, LooseObjectReading } from "./json/repair-json.ts"
import { type ActionObject, findActionObject, membersOf } from "./nested-decision.ts"
import { settle, settleUnfinishedFinish, unreadable } from "./settle.ts"

/** What a candidate turned out to be. */
export interface CandidateReading {
  readonly decision?: Decision
  /** `own` stands in the object itself, `nested` in an object inside it, which counts only where no own one does. */
  readonly place: "own" | "nested"
  /** The place after it. */
  readonly end: number
}

/** What reading at the end of an output needs. */
export interface Rung {
  readonly text: string
  readonly count: StepCount
  readonly repair: JsonRepair
}

/** Reads a candidate, repaired where it is no JSON. Nothing of a call is guessed, and what was cut off is never one. */
export function readCandidate(candidate: Candidate, rung: Rung): CandidateReading {
  const { form, start, end, members, flawed } = candidate
  const { text, count, repair } = rung
  if (form === "whole") {
    const status = flawed || members.understood ? "repaired" : "complete"
    const decision = settle(interpretDecision(members.values, count), status, text, start)
    return { decision: refuseWhereCut(decision, { text, start, end }, members.strayMember), place: "own", end }
  }
  const reading = repair(text, { from: start })
  const repaired = reading && readRepaired(reading, start, rung)
  if (repaired?.decision || (repaired && form === "loose" && !reading.isUnclosed)) return repaired
  if (form === "unfinished" && members.action === "finish") {
    return { decision: settleUnfinishedFinish(members), place: "own", end }
  }
  const fault = form === "unfinished" ? unreadable("unterminated", text, text.length) : unreadable("not-json", text, start)
  return { decision: fault, place: "own", end }
}

/** The decision in an object that was repaired, if there is one. */
export function readRepaired(reading: LooseObjectReading, start: number, rung: Rung): CandidateReading {
  const { end } = reading
  const found = findActionObject(reading.value)
  if (found === undefined) return { place: "nested", end }
  const isTorn =
    reading.lacksClosing && (hasStrayMember(found.object) || hasUnopenedBrace(reading.source.text, reading.source.end))
  if (isTorn) return { decision: unreadable("not-json", rung.text, start), place: "own", end }
  const decision = reading.isUnclosed ? readUnclosed(found, reading, start, rung) : readClosed(found, reading.source, rung)
  return { decision, place: found.depth === 1 ? "own" : "nested", end }
}

/** The decision in an object with both its braces. */
export function readClosed({ object }: ActionObject, source: LooseObjectReading["source"], { count }: Rung): Decision {
  const decision = settle(interpretDecision(membersOf(object), count), "repaired", source.text, source.start)
  return refuseWhereCut(decision, source, hasStrayMember(object))
}

/** A last brace is missing: it must be clear that nothing else is. */
function readUnclosed(found: ActionObject, reading: LooseObjectReading, start: number, rung: Rung): Decision {
  const { text, count } = rung
  const members = membersOf(found.object)
  const decision = settle(interpretDecision(members, count), "repaired", text, start)
  const isClear =
    !hasStrayMember(found.object) &&
    reading.openTail <= found.depth + 1 &&
    !hasUnopenedBrace(reading.source.text, reading.source.end)
  if (decision.action === "tool" && isClear && isWholeCall(members) && !isDecision(decision.args)) return decision
  if (decision.action === "finish" && isClear)
    return decision.message === undefined ? { ...decision, status: "truncated" } : decision
  return unreadable("unterminated", text, reading.end)
}

/**
 * A member after the object, or a brace too many or too few where some of its arguments may stand in the wrong place: it
 * did not end where it seemed to.
 */
function refuseWhereCut(decision: Decision, source: LooseObjectReading["source"], hasStray: boolean): Decision {
  if (decision.action === "unreadable") return decision
  const { text, end } = source
  const isCut =
    memberAfter(text, end) !== undefined || (decision.action === "tool" && isMisplaced(decision.args, source, hasStray))
  return isCut ? unreadable("not-json", text, end) : decision
}

function isMisplaced(
  args: Readonly<Record<string, unknown>>,
  { text, start, end }: LooseObjectReading["source"],
  hasStray: boolean,
): boolean {
  const balance = braceBalance(text, start, end)
  if (balance > 0) return hasStray || mayBeCut(args)
  return balance < 0 && mayBeStretched(args)
}

/** True for arguments that are a decision of their own: the call's were cut off before it. */
function isDecision(args: Readonly<Record<string, unknown>>): boolean {
  return readAction(args.action).name !== "unknown"
}

/** True when a member that means nothing to a decision stands after the call's own: it may have been an argument. */
function hasStrayMember(object: JsonObject): boolean {
  const names = Object.keys(object)
  const call = names.findIndex((name) => namesCall(new Map([[name, true]])))
  return call >= 0 && names.slice(call).some((name) => !isDecisionMember(name))
}
