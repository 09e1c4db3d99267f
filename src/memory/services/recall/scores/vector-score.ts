import type { DocumentTable } from "../documents/document-table.ts"
import type { RecallQuery } from "../recall-query.ts"

/** The nearness of each slot by embedding, 1 for the nearest; NaN for a slot without a comparable vector. Undefined if no slot has one. */
export function denseScores(table: DocumentTable, { vector, vectorRanking }: RecallQuery): Float64Array | undefined {
  if (vector === undefined && vectorRanking === undefined) return undefined
  const scores = vector === undefined ? rankScores(table, vectorRanking ?? []) : cosines(table, vector)
  return scores.some((score) => !Number.isNaN(score)) ? scores : undefined
}

/** Cosines, scaled so that the nearest has 1 and the median 0, because models differ in the range of their cosines. */
function cosines(table: DocumentTable, { model, values }: NonNullable<RecallQuery["vector"]>): Float64Array {
  const norm = vectorNorm(values)
  const scores = new Float64Array(table.slots).fill(Number.NaN)
  if (norm === 0) return scores
  for (let slot = 0; slot < table.slots; slot++) {
    const other = table.vectorAt(slot)
    if (other?.model === model && other.values.length === values.length) scores[slot] = cosine(values, other.values, norm)
  }
  return scaled(scores)
}

function scaled(cosines: Float64Array): Float64Array {
  const known = cosines.filter((cosine) => !Number.isNaN(cosine)).sort()
  const best = known.at(-1) ?? 0
  const middle = known[known.length >> 1] ?? 0
  return cosines.map((cosine) => (best > middle ? Math.max(0, (cosine - middle) / (best - middle)) : cosine - best + 1))
}

/** The cosine of two vectors; NaN if the second is zero or not finite. */
export function cosine(a: Float32Array, b: Float32Array, normOfA: number): number {
  let [sum, squares] = [0, 0]
  for (let i = 0; i < b.length; i++) {
    const value = b[i] ?? 0
    sum += (a[i] ?? 0) * value
    squares += value * value
  }
  return squares > 0 && Number.isFinite(squares) ? sum / (normOfA * Math.sqrt(squares)) : Number.NaN
}

/** The Euclidean length; 0 for a vector that is not finite, so that it is compared with nothing. */
export function vectorNorm(values: Float32Array): number {
  const squares = values.reduce((sum, value) => sum + value * value, 0)
  return Number.isFinite(squares) ? Math.sqrt(squares) : 0
}

/** The first of a ranking has 1, each next one less by the same step. Documents that are not in it have 0. */
function rankScores(table: DocumentTable, ranking: readonly string[]): Float64Array {
  const scores = new Float64Array(table.slots).fill(ranking.length === 0 ? Number.NaN : 0)
  ranking.forEach((id, rank) => {
    const slot = table.slotOf(id)
    if (slot !== undefined && scores[slot] === 0) scores[slot] = 1 - rank / ranking.length
  })
  return scores
}
