import { withLazyMembers } from "../../../core/lazy-pattern.ts"
import type { DocumentTable } from "./documents/document-table.ts"
import type { RecallHit, RecallReason } from "./recall-query.ts"
import { evidenceSignals, type RecallSignal, type RecallWeights, recallSignals } from "./recall-weights.ts"
import { preferUpdates } from "./scores/column-score.ts"
import { type Evidence, evidenceOf, firstSlot, topSlots } from "./scores/evidence.ts"
import { wholeWorth } from "./scores/field-score.ts"
import { comparedTexts, embeddingPart, type Fusion, fusedScore } from "./scores/fusion.ts"
import { foundBy, ofArray, type RecallTask, type SignalScores, signalScores } from "./scores/signal-scores.ts"
import { denseScores } from "./scores/vector-score.ts"
import { bestPlace } from "./scores/wording-score.ts"

const maxHits = 1_000

/** The best documents for a query, best first, each with the reasons for its score. */
export function rankDocuments(table: DocumentTable, asked: RecallTask): RecallHit[] {
  const { weights, query, plan } = asked
  table.scoreArrays.restart(table.slots)
  const scores = signalScores(table, asked)
  const near = weights.vector > 0 ? denseScores(table, query) : undefined
  if (near !== undefined) {
    scores.set("vector", ofArray(near))
    for (let slot = 0; slot < table.slots; slot++) if (table.columns.live[slot] === 1) table.scoreArrays.touch(slot)
  }
  const wanted = Math.min(maxHits, query.limit)
  const evidence = evidenceOf(table, asked, scores, Math.max(Math.ceil(wanted), byChance[1]))
  const covered = coverage(table, asked, evidence.told)
  const part = near ? vectorPart(table, near, { evidence: evidence.values, covered, weight: weights.vector }) : 0
  const fused = fuse(asked, evidence, part)
  const passages = joinPassages(table, evidence.slots, fused)
  if (plan.times.length === 0) preferUpdates(table, plan, fused)
  const scale = scores.has("vector") ? Math.max(covered, part) : covered
  const first = topSlots(table, evidence.slots, fused, Math.max(wanted, byChance[1]))
  const confidence = query.text.trim() === "" ? () => undefined : confidenceOf(first, fused, scale)
  const hits = first.slice(0, Math.max(0, Math.ceil(wanted))).map((slot) => {
    const best = passages.get(slot) ?? slot
    const hit = {
      id: table.idAt(slot) ?? "",
      score: (fused[slot] ?? 0) * scale,
      confidence: confidence(fused[slot] ?? 0),
      why: reasons(scores, weights, { scale: evidence.scale, part }, best),
    }
    return withLazyMembers(hit, { foundAt: () => bestPlace(table, plan, best) })
  })
  const { leastScore = Number.NEGATIVE_INFINITY, leastConfidence = 0 } = query
  return hits.filter(({ score, confidence = 1 }) => score >= leastScore && confidence >= leastConfidence)
}

/** The scores from the sixth to the tenth are about what chance gives. */
const byChance = [5, 10] as const

/**
 * The chance that a memory is evidence for the answer, by its score: by how much it is above what chance gives, as a share of the best
 * score and of the question. A logistic regression over the first five memories of each question of the development halves made the
 * numbers.
 */
function confidenceOf(first: readonly number[], fused: Float64Array, scale: number): (score: number) => number {
  const [best = 0, ...others] = first.slice(0, byChance[1]).map((slot) => fused[slot] ?? 0)
  const chance = others.slice(byChance[0] - 1).reduce((sum, score) => sum + score, 0) / (byChance[1] - byChance[0])
  return (score) =>
    1 / (1 + Math.exp(3.1 - (2.8 * (score - chance)) / (best || 1) - 2.2 * Math.min(0.5, scale * (score - chance))))
}

function vectorPart(table: DocumentTable, near: Float64Array, given: Pick<Fusion, "evidence" | "covered" | "weight">): number {
  const known = near.map((value) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value))
  const first = (values: Float64Array) => topSlots(table, table.scoreArrays.touched, values, comparedTexts)
  return embeddingPart({ ...given, near, best: first(given.evidence), nearest: first(known) })
}

/** Gives each document of several passages the score of the best one, at its first slot, and takes the other slots out. The result has the slots of best passages that are not the first, by first slot. */
function joinPassages(table: DocumentTable, slots: readonly number[], fused: Float64Array): ReadonlyMap<number, number> {
  const best = new Map<number, number>()
  if (table.size === table.documents) return best
  for (const slot of slots) {
    const first = firstSlot(table, slot)
    if (first === slot) continue
    if ((fused[slot] ?? 0) > (fused[first] ?? 0)) best.set(first, slot)
    fused[first] = Math.max(fused[first] ?? 0, fused[slot] ?? 0)
    fused[slot] = Number.NEGATIVE_INFINITY
  }
  return best
}

/** The share of the question that the best text covers, from 0 to 1. A question without words is covered by whatever it finds. */
function coverage({ fields: { words, characters }, size }: DocumentTable, { plan }: RecallTask, told: number): number {
  const whole = wholeWorth(words, plan.words, size) + wholeWorth(characters, plan.characters, size)
  return whole === 0 ? 1 : Math.min(1, told / whole)
}

/** Puts the scores of slots in place of their evidence, of those that are not found the least. The vector signal and the evidence share the score; a document without a vector is scored by the evidence alone. */
function fuse(asked: RecallTask, { slots, values, scores }: Evidence, part: number): Float64Array {
  const { weights } = asked
  const isFound = foundBy(scores, asked, part)
  const [near, recency, importance] = [scores.get("vector"), scores.get("recency"), scores.get("importance")]
  for (const slot of slots) {
    const known = isFound(slot) ? fusedScore(values[slot] ?? 0, near?.at(slot) ?? Number.NaN, part) : Number.NEGATIVE_INFINITY
    values[slot] = known + weights.recency * (recency?.at(slot) ?? 0) + weights.importance * (importance?.at(slot) ?? 0)
  }
  return values
}

function reasons(
  scores: SignalScores,
  weights: RecallWeights,
  { scale, part }: { readonly scale: number; readonly part: number },
  slot: number,
): RecallReason[] {
  const near = scores.get("vector")?.at(slot)
  const lexicalPart = near === undefined || Number.isNaN(near) ? 1 : 1 - part
  const partOf = (signal: RecallSignal, value: number) =>
    evidenceSignals.includes(signal)
      ? weights[signal] * value * scale * lexicalPart
      : value * (signal === "vector" ? part : weights[signal])
  const parts = recallSignals
    .map((signal) => ({ signal, value: scores.get(signal)?.at(slot) ?? 0 }))
    .filter(({ value }) => value > 0)
    .map(({ signal, value }) => ({ signal, value, part: partOf(signal, value) }))
    .filter(({ part }) => part > 0)
  const total = parts.reduce((sum, { part }) => sum + part, 0)
  return parts.sort((a, b) => b.part - a.part).map(({ signal, value, part }) => ({ signal, value, share: part / total }))
}
