import { lazyPattern } from "../../../../core/lazy-pattern.ts"
import { retrievability } from "../../../../core/retrievability.ts"
import { againMark, numberMark, timeMark, toldMark } from "../documents/document-columns.ts"
import type { DocumentTable } from "../documents/document-table.ts"
import { rarity } from "../documents/field-index.ts"
import type { QueryPlan } from "../query-plan.ts"
import type { RecallFact } from "../recall-query.ts"
import type { SignalScore } from "../recall-weights.ts"
import { documentTerms } from "../text/document-terms.ts"
import { dayMs, quarterMs } from "../time/local-calendar.ts"
import { dayMatch, toldMatch } from "../time/time-match.ts"

/**
 * Scores each slot by a property, 1 for each number of a column that has it, times the rarity of the property: it counts like a word that is
 * as rare.
 */
function markScores(table: DocumentTable, name: "speaker" | "marks", marked: Uint8Array): SignalScore {
  const column = table.columns[name]
  const found = table.columns.countsBelow(table.slots)[name].reduce((sum, count, value) => sum + count * (marked[value] ?? 0), 0)
  const rare = rarity(table.size, found)
  return { at: (slot) => (marked[column[slot] ?? 0] ?? 0) * rare, most: rare }
}

/** Scores lines whose speaker the query is about. */
export function speakerScores(table: DocumentTable, { speakerIds }: QueryPlan): SignalScore {
  const asked = [...speakerIds].map((id) => table.speakerNumber(id))
  const marked = new Uint8Array(1 + Math.max(0, ...asked))
  for (const speaker of asked) marked[speaker] = 1
  return markScores(table, "speaker", marked)
}

/** Scores lines that were said at a time that the query names, or tell about such a time. */
export function timeScores(table: DocumentTable, { times }: QueryPlan, dayOf: (atMs: number) => number): SignalScore {
  const { atMs, marks, live, toldFromDay, toldToDay } = table.columns
  let [known, match] = [Number.NaN, 0]
  // No zone changes its offset between two quarters of an hour, and lines of one talk follow each other.
  const matchAt = (atMs: number) => {
    const quarter = Math.floor(atMs / quarterMs)
    if (quarter !== known) [known, match] = [quarter, dayMatch(times, dayOf(atMs))]
    return match
  }
  const matchOf = (slot: number) => {
    let said = matchAt(atMs[slot] ?? 0)
    if (((marks[slot] ?? 0) & againMark) !== 0) {
      for (const again of table.documentAt(slot)?.againAtMs ?? []) said = Math.max(said, matchAt(again))
    }
    if (said === 1 || ((marks[slot] ?? 0) & toldMark) === 0) return said
    return Math.max(said, toldMatch(times, { fromDay: toldFromDay[slot] ?? 0, toDay: toldToDay[slot] ?? 0 }))
  }
  let found = 0
  for (let slot = 0; slot < table.slots; slot++) if (live[slot] === 1 && matchOf(slot) >= 0.5) found++
  const rare = rarity(table.size, found)
  return { at: (slot) => matchOf(slot) * rare, most: rare }
}

/** Scores lines with a time or a number, if the query asks for one. */
export function answerScores(table: DocumentTable, { asked }: QueryPlan): SignalScore {
  const wanted = (asked.time ? timeMark : 0) | (asked.number ? numberMark : 0)
  const marked = Uint8Array.from({ length: 256 }, (_, marks) => ((marks & wanted) === 0 ? 0 : 1))
  return markScores(table, "marks", marked)
}

/** A line contends for being the newest if its words are worth at least this share of the best line's. */
const contends = 0.5

/**
 * Scores the lines that match about as well as the best one by their place in time, if the query asks for what is newest or oldest:
 * the first gets the worth of its own words, each later one half of the share before it.
 */
export function orderScores(table: DocumentTable, { order }: QueryPlan, worth: (slot: number) => number): Float64Array {
  const { touched } = table.scoreArrays
  const atMs = order === "oldest" ? table.columns.atMs : table.columns.lastAtMs
  const scores = table.scoreArrays.take()
  let best = 0
  for (const slot of touched) best = Math.max(best, worth(slot))
  if (best === 0) return scores
  const found = [...touched.filter((slot) => worth(slot) >= best * contends)]
  const sign = order === "oldest" ? 1 : -1
  found.sort((a, b) => sign * ((atMs[a] ?? 0) - (atMs[b] ?? 0)))
  let share = 1
  for (const [i, slot] of found.entries()) {
    if (i > 0 && atMs[slot] !== atMs[found[i - 1] ?? slot]) share /= 2
    scores[slot] = share * worth(slot)
  }
  return scores
}

/**
 * Puts each document that tells a fact anew before those that told it earlier: it gets at least their score, also if it shares no word
 * with the question. If the question asks for the past, it is the other way round, and where it asks for what was before a value, as in
 * `before Madrid`, the one before that comes first. Of an older document whose own value the question names, as in `when did I move to
 * Berlin`, nothing is passed on, unless the newer one is of that value too, as in `I quit Siemens`; nor is it of a document that the
 * question means for another fact than theirs. Equal scores are ordered newest first.
 */
export function preferUpdates(table: DocumentTable, plan: QueryPlan, scores: Float64Array): void {
  const { past, before, text } = plan
  const slotOf = (id: string) => table.slotOf(id) ?? -1
  const newer = [...table.updates].map(([id, earlier]) => ({
    slot: slotOf(id),
    earlier: earlier.map(slotOf).filter((old) => old >= 0),
  }))
  const named = before === undefined ? [] : newer.filter(({ slot }) => namesValue(before, table, slot))
  const isPast = past && named.length === 0
  const sign = isPast ? -1 : 1
  newer.sort((a, b) => sign * table.newestFirst(b.slot, a.slot))
  for (const { slot, earlier } of newer) {
    for (const old of earlier) {
      if (slot < 0) continue
      const [from, to] = isPast ? [slot, old] : [old, slot]
      if ((scores[from] ?? 0) > (scores[to] ?? 0)) {
        if (!isPast && namesValue(text, table, old) && !namesValue(text, table, slot)) continue
        if (meansAnother(plan, factsAt(table, from), factsAt(table, to))) continue
      }
      const best = Math.max(scores[slot] ?? 0, scores[old] ?? 0)
      scores[to] = best
      if (isPast && scores[slot] === best) scores[slot] = best - Math.abs(best) * leastPart
    }
  }
  const isOther = (old: number) => !namesValue(before ?? "", table, old)
  for (const { slot, earlier } of named) putBehind(slot, earlier.filter(isOther).sort(table.newestFirst.bind(table)), scores)
}

/** Puts a document behind others that are in their order: all get at least its score. */
function putBehind(slot: number, others: readonly number[], scores: Float64Array): void {
  let score = Math.max(scores[slot] ?? 0, ...others.map((other) => scores[other] ?? 0))
  for (const next of [...others, slot]) {
    scores[next] = score
    score -= Math.abs(score) * leastPart
  }
}

const factsAt = (table: DocumentTable, slot: number): readonly RecallFact[] => table.documentAt(slot)?.facts ?? []

/** True if a question has more words of a document's other facts than of those that it shares with another one. */
function meansAnother(plan: QueryPlan, facts: readonly RecallFact[], others: readonly RecallFact[]): boolean {
  const isShared = ({ name }: RecallFact) => others.some((other) => other.name === name)
  const [shared, own] = [facts.filter(isShared), facts.filter((fact) => !isShared(fact))]
  return shared.length > 0 && askedOf(plan, own) > askedOf(plan, shared)
}

/** The most that a question has of the words of one of the facts. */
function askedOf({ words, characters }: QueryPlan, facts: readonly RecallFact[]): number {
  const worths = facts.map((fact) => {
    const terms = documentTerms(fact.words.join("\n"))
    const weigh = (asked: ReadonlyMap<string, number>, told: ReadonlyMap<string, number>) =>
      [...asked].reduce((sum, [term, weight]) => sum + (told.has(term) ? weight : 0), 0)
    return weigh(words, terms.words) + weigh(characters, terms.characters)
  })
  return Math.max(0, ...worths)
}

function namesValue(question: string, table: DocumentTable, slot: number): boolean {
  return factsAt(table, slot).some(({ value }) => names(question, value))
}

const han = lazyPattern(String.raw`\p{Script=Han}`, "u")
const letterOrDigit = lazyPattern(String.raw`[\p{L}\p{N}]`, "u")

/** True if a question has the words of a fact's value. */
function names(question: string, value: string | undefined): boolean {
  const at = value ? question.indexOf(value) : -1
  if (value === undefined || at < 0) return false
  // A word of another script than Chinese must stand alone.
  const beside = `${question.charAt(at - 1)}${question.charAt(at + value.length)}`
  return han().test(value) || !letterOrDigit().test(beside)
}

/** The least share by which one score is below another. */
export const leastPart = 1e-9

/** After this many times its stability, a memory counts as forgotten: 0.9 to this power is nothing beside any other score. */
const forgottenAfter = 300

/** The retrievability of each document, from 0 to 1 (R17). */
export function recencyScores({ columns: { recalledAtMs, stability } }: DocumentTable, nowMs: number): SignalScore {
  const at = (slot: number) => {
    const days = (nowMs - (recalledAtMs[slot] ?? 0)) / dayMs
    const stable = stability[slot] ?? 1
    return days > stable * forgottenAfter ? 0 : retrievability({ stability: stable, days })
  }
  return { at, most: 1 }
}
