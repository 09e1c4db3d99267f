import type { Decision } from "./decision.ts"
import type { StepCount } from "./incoming-text.ts"
import {
  type ActionObject,
  findActionObject,
  interpretDecision,
  isDecisionMember,
  namesCall,
  readAction,
  unreadable,
} from "./interpret-decision.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json/json-value.ts"
import type { JsonRepair, LooseObjectReading } from "./json/repair-json.ts"
import type { Candidate } from "./output-record.ts"
import { braceBalance, hasUnopenedBrace, memberAfter } from "./outside-object.ts"

/** The result of reading a candidate. */
export interface CandidateReading {
  readonly decision?: Decision | undefined
  /** `own` stands in the object itself, `nested` in an object inside it, which counts only where no own one does. */
  readonly place: "own" | "nested"
  /** The place after it. */
  readonly end: number
}

/** The whole output and the repair that reads it. */
export interface RepairContext {
  readonly text: string
  readonly count: StepCount
  readonly repair: JsonRepair
}

/** Reads a candidate and repairs it where it is no JSON. Nothing of a call is guessed, and a call that was cut off is none. */
export function readCandidate(candidate: Candidate, context: RepairContext): CandidateReading {
  const { form, start, end, members, flawed } = candidate
  const { text, count, repair } = context
  if (form === "whole") {
    const isExact = !flawed && !members.understood
    const decision = interpretDecision(members.values, { isExact, text, at: start }, count)
    return { decision: refuseWhereCut(decision, { text, start, end }, members.strayMember), place: "own", end }
  }
  const reading = repair(text, { from: start })
  const repaired = reading && readRepaired(reading, start, context)
  if (repaired?.decision || (repaired && form === "loose" && !reading.isUnclosed)) return repaired
  if (form === "unfinished" && members.action === "finish") return { decision: members.unfinishedFinish(), place: "own", end }
  const fault = form === "unfinished" ? unreadable("unterminated", text, text.length) : unreadable("not-json", text, start)
  return { decision: fault, place: "own", end }
}

/** The decision in an object that was repaired, if there is one. */
export function readRepaired(reading: LooseObjectReading, start: number, context: RepairContext): CandidateReading {
  const { end, source } = reading
  const found = findActionObject(reading.value)
  if (found === undefined) return { place: "nested", end }
  const isTorn = reading.lacksClosing && (hasStrayMember(found.object) || hasUnopenedBrace(source.text, source.end))
  if (isTorn) return { decision: unreadable("not-json", context.text, start), place: "own", end }
  const decision = reading.isUnclosed ? readUnclosed(found, reading, start, context) : readClosed(found, source, context)
  return { decision, place: found.depth === 1 ? "own" : "nested", end }
}

/** The decision in an object with both its braces. */
export function readClosed({ object }: ActionObject, source: LooseObjectReading["source"], { count }: RepairContext): Decision {
  const members = new Map(Object.entries(object))
  const decision = interpretDecision(members, { isExact: false, text: source.text, at: source.start }, count)
  return refuseWhereCut(decision, source, hasStrayMember(object))
}

/** The decision in an object whose last brace is missing: it counts only when it is clear that nothing else is missing. */
function readUnclosed(found: ActionObject, reading: LooseObjectReading, start: number, context: RepairContext): Decision {
  const { text, count } = context
  const { source, openTail, end } = reading
  const members = new Map(Object.entries(found.object))
  const decision = interpretDecision(members, { isExact: false, text, at: start }, count)
  const isClear = !hasStrayMember(found.object) && openTail <= found.depth + 1 && !hasUnopenedBrace(source.text, source.end)
  const isWholeCall = members.has("tool") && members.has("args")
  if (decision.action === "tool" && isClear && isWholeCall && !isDecision(decision.args)) return decision
  if (decision.action === "finish" && isClear)
    return decision.message === undefined ? { ...decision, status: "truncated" } : decision
  return unreadable("unterminated", text, end)
}

/**
 * Refuses a decision that did not end where it seemed to: a member follows the object, or it has a brace too many or too
 * few and some of its arguments may stand in the wrong place.
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

/** True for arguments that are a decision of their own: the call's own arguments were cut off before it. */
function isDecision(args: Readonly<Record<string, unknown>>): boolean {
  return readAction(args.action).name !== "unknown"
}

/** True when a member that no decision has stands after the call's own: it may have been an argument. */
function hasStrayMember(object: JsonObject): boolean {
  const names = Object.keys(object)
  const call = names.findIndex((name) => namesCall(new Map([[name, true]])))
  return call >= 0 && names.slice(call).some((name) => !isDecisionMember(name))
}

/**
 * True for arguments that one brace too many could have cut: with an object among an object's members, and more of these
 * after it.
 */
function mayBeCut(args: Readonly<Record<string, unknown>>): boolean {
  const members = Object.values(args) as JsonValue[]
  return members.some((value, index) => (isJsonObject(value) && index < members.length - 1) || holdsCut(value))
}

function holdsCut(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsCut)
  return isJsonObject(value) && mayBeCut(value satisfies JsonObject)
}

/**
 * True for arguments that may end in an object too long, were a brace missing: the last of an object's members is an
 * object with several.
 */
function mayBeStretched(args: Readonly<Record<string, unknown>>): boolean {
  let isInObject = false
  for (let value: unknown = args; typeof value === "object" && value !== null; value = Object.values(value).at(-1)) {
    const isObject = !Array.isArray(value)
    if (isInObject && isObject && Object.keys(value).length > 1) return true
    isInObject = isObject
  }
  return false
}
