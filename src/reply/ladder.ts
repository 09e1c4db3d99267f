import type { Decision } from "./decision.ts"
import type { StepCount } from "./incoming-text.ts"
import { findActionObject, unreadable } from "./interpret-decision.ts"
import { decodeString } from "./json/json-string.ts"
import { parseJson } from "./json/json-value.ts"
import { createJsonRepair } from "./json/repair-json.ts"
import type { Outcome } from "./output-record.ts"
import { beginsWithMember, firstMemberAt, isTorn, namesAction } from "./outside-object.ts"
import { type CandidateReading, type RepairContext, readCandidate, readClosed, readRepaired } from "./read-candidate.ts"

/**
 * The rungs of T21 that need the whole output, for output of which nothing was shown: the candidates in order, repaired
 * where they are no JSON; an object with an action inside one without; members whose brace is missing; words.
 */
export function climbLadder(outcome: Outcome, count: StepCount): Decision {
  const context = { text: outcome.text, count, repair: createJsonRepair(count) }
  if (beginsWithMember(outcome.text)) return readBraceless(context) ?? readRest(outcome, context)
  const torn = outcome.others.find(({ end }) => isTorn(outcome.text, end))
  if (torn && torn.start < (outcome.candidates[0]?.start ?? torn.end)) {
    return readBraceless(context, torn.start) ?? unreadable("not-json", outcome.text, torn.end)
  }
  const nested: (CandidateReading & { readonly start: number })[] = []
  let fault: Decision | undefined
  let readUntil = 0
  for (const candidate of outcome.candidates) {
    if (candidate.start < readUntil) continue
    const reading = readCandidate(candidate, context)
    readUntil = reading.end
    if (reading.place === "nested") nested.push({ ...reading, start: candidate.start })
    else if (reading.decision && isFinal(reading.decision)) return reading.decision
    else fault ??= reading.decision
  }
  return readNested(outcome, nested, context) ?? fault ?? readRest(outcome, context)
}

/** False for an unknown action: a decision may follow it. A later decision does not mend any other fault. */
function isFinal(decision: Decision): boolean {
  return decision.action !== "unreadable" || decision.fault.kind !== "unknown-action"
}

/** The first decision inside an object that is none itself; else the fault of the first that could have been one. */
function readNested(
  { text, others }: Outcome,
  repaired: readonly (CandidateReading & { start: number })[],
  context: RepairContext,
): Decision | undefined {
  const strict = others
    .filter(({ start }) => !repaired.some((reading) => reading.start < start && start < reading.end))
    .map(({ start, end }) => {
      const found = findActionObject(parseJson(text.slice(start, end), context.count))
      return { start, decision: found && readClosed(found, { text, start, end }, context) }
    })
  const readings = [...strict, ...repaired].toSorted((one, other) => one.start - other.start)
  const decisions = readings.flatMap(({ decision }) => (decision ? [decision] : []))
  return decisions.find(({ action }) => action !== "unreadable") ?? decisions[0]
}

/** Reads output without an object that could be a decision: members without their brace, words, or neither. */
function readRest({ text, others: [other], inThought }: Outcome, context: RepairContext): Decision {
  const words = text.trim()
  if (words === "") return unreadable("empty", text, 0, inThought)
  const first = text.indexOf("{")
  const isProse = first < 0 && !namesAction(text) && !beginsWithMember(text)
  if (isProse) return { action: "finish", message: words, status: "plain-text" }
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
function wholeString({ text, count }: RepairContext): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('"\\')) return undefined
  const string = decodeString(trimmed, 1, count)
  return string?.end === trimmed.length ? string.value : undefined
}
