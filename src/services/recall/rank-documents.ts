import type { DocumentTable } from "./document-table.ts"
import type { RecallHit, RecallReason } from "./recall-query.ts"
import { evidenceSignals, type RecallSignal, type RecallWeights, recallSignals } from "./recall-weights.ts"
import { type Asked, evidenceOf, type SignalScores, signalScores } from "./signal-scores.ts"
import { topSlots } from "./top-slots.ts"

const maxHits = 1_000

/** The best documents for a question, each with its reasons. */
export function rankDocuments(table: DocumentTable, asked: Asked): RecallHit[] {
  const { weights, query } = asked
  table.scoreArrays.restart(table.slots)
  const scores = signalScores(table, asked)
  const evidence = evidenceOf(table, scores, weights)
  const fused = fuse(scores, weights, evidence.values, table.scoreArrays.take())
  return topSlots(table, fused, Math.min(maxHits, query.limit)).map((slot) => ({
    id: table.documentAt(slot)?.id ?? "",
    score: fused[slot] ?? 0,
    why: reasons(scores, weights, evidence.scale, slot),
  }))
}

/** What is near by embedding shares the score with the evidence; a document that has no embedding is scored by the evidence alone. */
function fuse(scores: SignalScores, weights: RecallWeights, evidence: Float64Array, fused: Float64Array): Float64Array {
  const [near, recency, importance] = [scores.get("vector"), scores.get("recency"), scores.get("importance")]
  const part = densePart(weights)
  for (let slot = 0; slot < fused.length; slot++) {
    const own = evidence[slot] ?? 0
    const dense = near?.[slot] ?? Number.NaN
    const known = Number.isNaN(dense) ? own : own + part * (dense - own)
    fused[slot] = known + weights.recency * (recency?.[slot] ?? 0) + weights.importance * (importance?.[slot] ?? 0)
  }
  return fused
}

const densePart = ({ vector }: RecallWeights) => Math.min(1, vector)

function reasons(scores: SignalScores, weights: RecallWeights, scale: number, slot: number): RecallReason[] {
  const near = scores.get("vector")?.[slot]
  const lexicalPart = near === undefined || Number.isNaN(near) ? 1 : 1 - densePart(weights)
  const partOf = (signal: RecallSignal, value: number) =>
    evidenceSignals.includes(signal)
      ? weights[signal] * value * scale * lexicalPart
      : value * (signal === "vector" ? densePart(weights) : weights[signal])
  const parts = recallSignals
    .map((signal) => ({ signal, value: scores.get(signal)?.[slot] ?? 0 }))
    .filter(({ value }) => value > 0)
    .map(({ signal, value }) => ({ signal, value, part: partOf(signal, value) }))
    .filter(({ part }) => part > 0)
  const total = parts.reduce((sum, { part }) => sum + part, 0)
  return parts.sort((a, b) => b.part - a.part).map(({ signal, value, part }) => ({ signal, value, share: part / total }))
}
