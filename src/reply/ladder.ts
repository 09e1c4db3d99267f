import type { Decision, DecisionEnd } from "./decision.ts"
import {
  type ActionObject,
  callBeside,
  decisionMembers,
  excerptCharacters,
  excerptOf,
  findActionObjects,
  interpretDecision,
  namesCall,
  readAction,
  unreadable,
} from "./interpret-decision.ts"
import { decodeString } from "./json/json-string.ts"
import { isJsonObject, type JsonObject, type JsonValue, parseJson, repeatedName } from "./json/json-value.ts"
import { createJsonRepair, type JsonRepair, type LooseObjectReading } from "./json/repair-json.ts"
import type { Candidate, OutputRecord } from "./output-record.ts"
import {
  beginsWithMember,
  braceBalance,
  firstMemberAt,
  furtherDecision,
  goesOnWithMember,
  hasUnopenedBrace,
  isTorn,
  memberAfter,
  namesAction,
} from "./outside-object.ts"

/**
 * The rungs of T21 that need the whole output, for output of which nothing was shown: the candidates in order, repaired
 * where they are no JSON; an object with an action inside one without; members whose brace is missing; words. `ignored` is the
 * beginning of a further decision behind the one that was read, or in the same object.
 */
export function climbLadder(
  { text, candidates, others }: OutputRecord,
  inThought: boolean,
): Pick<DecisionEnd, "decision" | "ignored"> {
  const context = { text, inThought, repair: createJsonRepair() }
  if (beginsWithMember(text)) return { decision: readBraceless(context) ?? readRest(others, context) }
  const torn = others.find(({ end }) => isTorn(text, end))
  if (torn && torn.start < (candidates[0]?.start ?? torn.end)) {
    return { decision: readBraceless(context, torn.start) ?? unreadable("not-json", text, torn.end) }
  }
  const nested: (CandidateReading & { readonly start: number })[] = []
  let fault: Decision | undefined
  let readUntil = 0
  for (const candidate of candidates) {
    if (candidate.start < readUntil) continue
    const reading = readCandidate(candidate, context)
    readUntil = reading.end
    if (reading.place === "nested") nested.push({ ...reading, start: candidate.start })
    else if (reading.decision && isFinal(reading.decision))
      return { decision: reading.decision, ignored: furtherDecision(text.slice(reading.end)) }
    else fault ??= reading.decision
  }
  const inside = readNested(others, nested, context)
  return { decision: inside?.decision ?? fault ?? readRest(others, context), ignored: inside?.ignored }
}

/** False for an unknown action: a decision may follow it. A later decision does not mend any other fault. */
function isFinal(decision: Decision): boolean {
  return decision.action !== "unreadable" || decision.fault.kind !== "unknown-action"
}

/**
 * The first decision inside an object that is none itself, and the beginning of a further one; else the fault of the first that
 * could have been one.
 */
function readNested(
  others: OutputRecord["others"],
  repaired: readonly (CandidateReading & { start: number })[],
  context: RepairContext,
): Pick<CandidateReading, "decision" | "ignored"> | undefined {
  const { text } = context
  const strict = others
    .filter(({ start }) => !repaired.some((reading) => reading.start < start && start < reading.end))
    .map(({ start, end }) => {
      const [found, further] = findActionObjects(parseJson(text.slice(start, end)))
      const decision = found && readClosed(found, { text, start, end })
      return { start, decision, ignored: further && excerptOf(further.object) }
    })
  const readings = [...strict, ...repaired].toSorted((one, other) => one.start - other.start)
  const decisions = readings.filter(({ decision }) => decision !== undefined)
  const first = decisions.find(({ decision }) => decision?.action !== "unreadable") ?? decisions[0]
  const next = first && decisions[decisions.indexOf(first) + 1]
  const ignored = first?.ignored ?? (next && text.slice(next.start, next.start + excerptCharacters).toWellFormed())
  return first && { decision: first.decision, ignored }
}

/** Reads output without an object that could be a decision: members without their brace, words, or neither. */
function readRest([other]: OutputRecord["others"], context: RepairContext): Decision {
  const { text, inThought } = context
  const words = text.trim()
  if (words === "") return unreadable("empty", text, 0, inThought)
  const first = text.indexOf("{")
  const isProse = first < 0 && !namesAction(text) && !beginsWithMember(text)
  if (isProse) return { action: "finish", message: words, status: inThought ? "truncated" : "plain-text" }
  const decision = readBraceless(context, other?.start)
  if (decision) return decision
  return other ? unreadable("no-action", text, other.start) : unreadable("not-json", text, Math.max(first, 0))
}

/** The decision whose opening brace is missing, if it can be read and its first member stands before the place `until`. */
function readBraceless(context: RepairContext, until = Number.POSITIVE_INFINITY): Decision | undefined {
  const text = wholeString(context) ?? context.text
  const from = firstMemberAt(text)
  const reading = from < 0 || from > until ? undefined : context.repair(text, { from, lacksBrace: true })
  const decision = reading && readRepaired(reading, from, { ...context, text }).decision
  const isWhole = decision?.action === "tool" || (decision?.action === "finish" && decision.message !== undefined)
  return isWhole ? decision : undefined
}

/** The content of an output that is one JSON string. */
function wholeString({ text }: RepairContext): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('"\\')) return undefined
  const string = decodeString(trimmed, 1)
  return string?.end === trimmed.length ? string.value : undefined
}

/** The result of reading a candidate. */
interface CandidateReading {
  readonly decision?: Decision | undefined
  /** `own` stands in the object itself, `nested` in an object inside it, which counts only where no own one does. */
  readonly place: "own" | "nested"
  /** The beginning of a further decision in the same object. */
  readonly ignored?: string | undefined
  /** The place after it. */
  readonly end: number
}

/** The whole output and the repair that reads it. */
interface RepairContext {
  readonly text: string
  /** True when the output ended inside a thought. */
  readonly inThought: boolean
  readonly repair: JsonRepair
}

/** Reads a candidate and repairs it where it is no JSON. Nothing of a call is guessed, and a call that was cut off is none. */
function readCandidate(candidate: Candidate, context: RepairContext): CandidateReading {
  const { form, start, end, members, reader } = candidate
  const { text, repair } = context
  if (form === "whole") {
    const isExact = !reader.string.flawed && !members.understood
    const decision = interpretDecision(members.values, { isExact, text, at: start, repeated: members.repeated })
    return { decision: refuseWhereCut(decision, { text, start, end }, members.strayMember), place: "own", end }
  }
  const reading = repair(text, { from: start })
  const repaired = reading && readRepaired(reading, start, context)
  if (repaired?.decision || (repaired && form === "loose" && !reading.isUnclosed)) return repaired
  if (form === "unfinished" && readAction(members.values.get("action")).name === "finish")
    return { decision: members.unfinishedFinish(), place: "own", end }
  const fault = form === "unfinished" ? unreadable("unterminated", text, text.length) : unreadable("not-json", text, start)
  return { decision: fault, place: "own", end }
}

/** The decision in an object that was repaired, if there is one. */
function readRepaired(reading: LooseObjectReading, start: number, context: RepairContext): CandidateReading {
  const { end, source } = reading
  const [found, further] = findActionObjects(reading.value)
  if (found === undefined) return { place: "nested", end }
  const isTorn = reading.lacksClosing && (hasStrayMember(found.object) || hasUnopenedBrace(source.text, source.end))
  if (isTorn) return { decision: unreadable("not-json", context.text, start), place: "own", end }
  const decision = reading.isUnclosed ? readUnclosed(found, reading, start, context) : readClosed(found, source)
  return { decision, place: found.depth === 1 ? "own" : "nested", end, ignored: further && excerptOf(further.object) }
}

/** The decision in an object with both its braces. */
function readClosed({ object }: ActionObject, source: LooseObjectReading["source"]): Decision {
  const members = new Map(Object.entries(object))
  const { text, start: at } = source
  const decision = interpretDecision(members, { isExact: false, text, at, repeated: repeatedName(object) })
  return refuseWhereCut(decision, source, hasStrayMember(object))
}

/** The decision in an object whose last brace is missing: it counts only when it is clear that nothing else is missing. */
function readUnclosed(found: ActionObject, reading: LooseObjectReading, start: number, context: RepairContext): Decision {
  const { text } = context
  const { source, openTail, end } = reading
  const members = new Map(Object.entries(found.object))
  const origin = { isExact: false, text, at: start, repeated: repeatedName(found.object) }
  const decision = withoutCall(interpretDecision(members, origin), members)
  const isClear = !hasStrayMember(found.object) && openTail <= found.depth + 1 && !hasUnopenedBrace(source.text, source.end)
  const isWholeCall = members.has("tool") && members.has("args")
  if (decision.action === "tool" && isClear && isWholeCall && !isDecision(decision.args)) return decision
  if (decision.action === "finish" && isClear)
    return decision.message === undefined ? { ...decision, status: "truncated" } : decision
  return unreadable("unterminated", text, end)
}

/** Takes the call off a finish whose object was cut off: some of its arguments may be missing. */
function withoutCall(decision: Decision, members: Parameters<typeof callBeside>[0]): Decision {
  if (decision.action !== "finish" || decision.call === undefined) return decision
  const { call: _, ...rest } = decision
  return { ...rest, ignored: callBeside(members) ?? "" }
}

/**
 * Refuses a decision that did not end where it seemed to: a member follows the object, or it has a brace too many or too
 * few and some of its arguments may stand in the wrong place.
 */
function refuseWhereCut(decision: Decision, source: LooseObjectReading["source"], hasStray: boolean): Decision {
  if (decision.action === "unreadable") return decision
  const { text, end } = source
  const isCut =
    memberAfter(text, end) !== undefined ||
    (decision.action === "tool" && (goesOnWithMember(text, end) || isMisplaced(decision.args, source, hasStray)))
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
  return call >= 0 && names.slice(call).some((name) => !decisionMembers.has(name))
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
