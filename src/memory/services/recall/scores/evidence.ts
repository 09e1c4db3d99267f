import { passageMark } from "../documents/document-columns.ts"
import type { DocumentTable } from "../documents/document-table.ts"
import { evidenceSignals, type SignalScore } from "../recall-weights.ts"
import { leastPart } from "./column-score.ts"
import { nearness } from "./field-score.ts"
import { findingSignals, foundBy, type RecallTask, type SignalScores, weighedSum } from "./signal-scores.ts"

/** The most lines on each side of the best one. */
const reach = 6
/** The share of the best line's score that the first line behind it has, and each further one of the line before it. */
const further = 0.95
/** People tell more after a line than they told before it. */
const before = 0.5

/**
 * Scores the lines around the best one in its talk: what is said about one thing stands together, also where it shares no word with
 * the question. A line is brought up to its part of the best line's evidence, the shorter and the further in time it is the less; one that has more keeps that.
 */
export function talkScores(
  table: DocumentTable,
  best: number,
  { evidence, weight }: { readonly evidence: (slot: number) => number; readonly weight: number },
): Map<number, number> {
  const scores = new Map<number, number>()
  const most = evidence(best)
  const toldIn = shareTold(table)
  for (const [beside, share] of [[table.links.next, 1] as const, [table.links.previous, before] as const]) {
    let part = most * share
    let slot = beside[best] ?? -1
    for (let lines = 0; lines < reach && slot >= 0; lines++) {
      const near = part * nearness(table, best, slot)
      scores.set(slot, Math.max(0, near * toldIn(slot) - evidence(slot) / weight))
      part *= further
      slot = beside[slot] ?? -1
    }
  }
  return scores
}

/** How long a line is beside one of mean length, at most 1: a cheer tells nothing. */
function shareTold({ fields: { words, characters }, size }: DocumentTable): (slot: number) => number {
  const mean = Math.max(1, (words.totalLength + characters.totalLength) / Math.max(1, size))
  return (slot) => Math.min(1, ((words.lengths[slot] ?? 0) + (characters.lengths[slot] ?? 0)) / mean)
}

/** The signals that say how much of a question's words a text has, or the texts beside it. */
const toldSignals = ["words", "grams", "characters", "self", "keys", "neighbours"] as const

/** The evidence of slots, before the talk is known. */
interface Ranking {
  /** The touched slots that may be among the best, and their weighted sums of evidence. */
  readonly slots: readonly number[]
  readonly values: Float64Array
  readonly own: (slot: number) => number
  /** The most that a slot may have which is not touched, and without which no slot is among the best. */
  readonly most: number
  readonly enough: number
  /** The most that a slot has of the question's words. */
  readonly told: number
}

type Slots = readonly number[] | Int32Array

/** So many times as many slots as are wanted are weighed first. */
const likely = 16

/**
 * Weighs the touched slots that may be among the `wanted` best, or have the most of the words. First only what stands in arrays is added up,
 * which costs little: all other signals together add no more than `most`.
 */
function weigh(table: DocumentTable, asked: RecallTask, scores: SignalScores, wanted: number): Ranking {
  const { weights } = asked
  const { touched } = table.scoreArrays
  const [own, toldOf] = [weighedSum(scores, weights, evidenceSignals), weighedSum(scores, weights, toldSignals)]
  const most = evidenceSignals.reduce((sum, signal) => sum + weights[signal] * (scores.get(signal)?.most ?? 0), 0)
  const values = table.scoreArrays.take()
  for (const signal of evidenceSignals) {
    const [array, weight] = [scores.get(signal)?.array, weights[signal]]
    if (array !== undefined) for (const slot of touched) values[slot] = (values[slot] ?? 0) + weight * (array[slot] ?? 0)
  }
  const between = (least: number, end: number) => {
    const found: number[] = []
    for (const slot of touched) if ((values[slot] ?? 0) >= least && (values[slot] ?? 0) < end) found.push(slot)
    return found
  }
  const first = leastOf(touched, values, wanted * likely)
  const likeliest = between(first, Number.POSITIVE_INFINITY)
  const highest = likeliest.reduce((highest, slot) => Math.max(highest, values[slot] ?? 0), 0)
  const isFound = foundBy(scores, asked, 0)
  const counting = likeliest.filter((slot) => isFound(slot) && firstSlot(table, slot) === slot)
  const last = Float64Array.from(counting, own).sort().at(-wanted) ?? Number.NEGATIVE_INFINITY
  const enough = scores.has("vector") ? Number.NEGATIVE_INFINITY : last - restOf(table, asked, highest + most)
  let told = likeliest.reduce((told, slot) => Math.max(told, toldOf(slot)), 0)
  const slots = [...likeliest, ...between(Math.min(told, enough - most), first)]
  for (const slot of slots) {
    told = Math.max(told, toldOf(slot))
    values[slot] = own(slot)
  }
  return { slots, values, own, most, enough, told }
}

/** The evidence of the slots that may be among the best, scaled so that the best has 1. */
export interface Evidence {
  readonly scores: SignalScores
  readonly slots: readonly number[]
  readonly values: Float64Array
  readonly scale: number
  /** The most that a slot has of the question's words. */
  readonly told: number
}

/** Chooses the slots that may be among the `wanted` best, and scales their evidence. The best line's talk is found and scored on the way. */
export function evidenceOf(table: DocumentTable, asked: RecallTask, scores: SignalScores, wanted: number): Evidence {
  const weighed = weigh(table, asked, scores, wanted)
  const { values, own, enough, told } = weighed
  const { talk: weight } = asked.weights
  const slots = contenders(table, scores.get("session"), asked, weighed)
  const [first = -1] = weight > 0 ? topSlots(table, slots, values, 1) : []
  const isFound = findingSignals.some((signal) => (scores.get(signal)?.at(first) ?? 0) > 0)
  const talk = isFound ? talkScores(table, first, { evidence: own, weight }) : new Map<number, number>()
  if (isFound) scores.set("talk", { at: (slot) => talk.get(slot) ?? 0, most: 0 })
  const more = new Set([...talk.keys(), ...[...table.updates].flat(2).flatMap((id) => table.slotsOf(id))])
  for (const slot of [...slots, ...more]) more.add(firstSlot(table, slot))
  for (const slot of more) if (own(slot) < enough) slots.push(slot)
  // Of equal passages the first one counts.
  slots.sort((a, b) => a - b)
  let best = 0
  for (const slot of slots) {
    table.scoreArrays.touch(slot)
    values[slot] = own(slot) + weight * (talk.get(slot) ?? 0)
    best = Math.max(best, values[slot] ?? 0)
  }
  const scale = best > 0 ? 1 / best : 0
  for (const slot of slots) values[slot] = (values[slot] ?? 0) * scale
  return { scores, slots, values, scale, told }
}

/** The most evidence that the rest of a score can make up for, which is recency, importance and the least shares between updates. `best` is the most that a slot may have. */
function restOf(table: DocumentTable, { weights }: RecallTask, best: number): number {
  const small = weights.recency + weights.importance
  const links = 1 + [...table.updates].flat(2).length
  return best * Math.max(1, weights.talk) * (small + leastPart * links * (1 + small))
}

/** The slots with enough evidence. Those that are not touched get theirs on the way. */
function contenders(table: DocumentTable, session: SignalScore | undefined, { weights }: RecallTask, weighed: Ranking): number[] {
  const { scoreArrays, columns } = table
  const { slots, values, own, most, enough } = weighed
  const found = slots.filter((slot) => (values[slot] ?? 0) >= enough)
  if (most < enough) return found
  for (let slot = 0; slot < table.slots; slot++) {
    if (scoreArrays.isTouched[slot] === 1 || columns.live[slot] === 0) continue
    const less = session ? weights.session * (session.most - session.at(slot)) : 0
    if (most - less < enough || own(slot) < enough) continue
    values[slot] = own(slot)
    found.push(slot)
  }
  return found
}

/** The first slot of the document of a passage. */
export function firstSlot(table: DocumentTable, slot: number): number {
  return ((table.columns.marks[slot] ?? 0) & passageMark) === 0 ? slot : (table.slotOf(table.idAt(slot) ?? "") ?? slot)
}

/** The slots with the highest scores, best first, without those at the least of all numbers. Equal scores are ordered newest first, then by id. */
export function topSlots(table: DocumentTable, slots: Slots, scores: Float64Array, limit: number): number[] {
  const wanted = Math.min(Math.ceil(limit), table.size)
  if (!(wanted > 0)) return []
  const least = leastOf(slots, scores, wanted)
  const found: number[] = []
  for (const slot of slots) if ((scores[slot] ?? 0) > Number.NEGATIVE_INFINITY && (scores[slot] ?? 0) >= least) found.push(slot)
  return found.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || table.newestFirst(a, b)).slice(0, wanted)
}

/** The lowest score among the `wanted` best ones. It sorts only scores that may be among them. */
function leastOf(slots: Slots, scores: Float64Array, wanted: number): number {
  const kept = new Float64Array(wanted * 4)
  let count = 0
  let least = Number.NEGATIVE_INFINITY
  // A loop by number is several times faster here: the slots are of two kinds.
  for (let i = 0; i < slots.length; i++) {
    const score = scores[slots[i] ?? 0] ?? 0
    if (score <= least) continue
    kept[count++] = score
    if (count < kept.length) continue
    kept.sort().copyWithin(0, count - wanted)
    count = wanted
    least = kept[0] ?? least
  }
  return kept.subarray(0, count).sort()[count - wanted] ?? least
}
