import { isTorn } from "./after-object.ts"
import { beginsWithMember, readBraceless } from "./braceless.ts"
import type { Outcome } from "./candidate.ts"
import type { Decision } from "./decision.ts"
import type { StepCount } from "./incoming-text.ts"
import { parseJson } from "./json/json-value.ts"
import { createJsonRepair } from "./json/repair-json.ts"
import { findActionObject } from "./nested-decision.ts"
import { type CandidateReading, type Rung, readCandidate, readClosed } from "./read-candidate.ts"
import { readRest } from "./read-rest.ts"
import { unreadable } from "./settle.ts"

/**
 * The rungs of T21 that need the whole output, for output of which nothing was shown: the candidates in order, repaired
 * where they are no JSON; an object with an action inside one without; members whose brace is missing; words.
 */
export function climbLadder(outcome: Outcome, count: StepCount): Decision {
  const rung = { text: outcome.text, count, repair: createJsonRepair(count) }
  if (beginsWithMember(outcome.text)) return readBraceless(rung) ?? readRest(outcome, rung)
  const torn = outcome.others.find(({ end }) => isTorn(outcome.text, end))
  if (torn && torn.start < (outcome.candidates[0]?.start ?? torn.end)) {
    return readBraceless(rung, torn.start) ?? unreadable("not-json", outcome.text, torn.end)
  }
  const nested: (CandidateReading & { readonly start: number })[] = []
  let fault: Decision | undefined
  let readUntil = 0
  for (const candidate of outcome.candidates) {
    if (candidate.start < readUntil) continue
    const reading = readCandidate(candidate, rung)
    readUntil = reading.end
    if (reading.place === "nested") nested.push({ ...reading, start: candidate.start })
    else if (reading.decision && isFinal(reading.decision)) return reading.decision
    else fault ??= reading.decision
  }
  return readNested(outcome, nested, rung) ?? fault ?? readRest(outcome, rung)
}

/** Only an action that is none is passed over: what else is wrong with a decision is not mended by another one after it. */
function isFinal(decision: Decision): boolean {
  return decision.action !== "unreadable" || decision.fault.kind !== "unknown-action"
}

/** The first decision inside an object that is none itself; else what is wrong with the first that could have been one. */
function readNested({ text, others }: Outcome, repaired: readonly (CandidateReading & { start: number })[], rung: Rung) {
  const strict = others
    .filter(({ start }) => !repaired.some((reading) => reading.start < start && start < reading.end))
    .map(({ start, end }) => {
      const found = findActionObject(parseJson(text.slice(start, end), rung.count))
      return { start, decision: found && readClosed(found, { text, start, end }, rung) }
    })
  const readings = [...strict, ...repaired].toSorted((one, other) => one.start - other.start)
  const decisions = readings.flatMap(({ decision }) => (decision ? [decision] : []))
  return decisions.find(({ action }) => action !== "unreadable") ?? decisions[0]
}
