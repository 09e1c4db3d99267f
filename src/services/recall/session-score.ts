import type { DocumentTable } from "./document-table.ts"
import { type FieldIndex, rarity, saturation } from "./field-index.ts"
import type { WeighedTerm } from "./weighed-term.ts"

const lengthShare = 0.75

/** Adds BM25 with whole sessions for documents; each slot gets what its session has. */
export function addSessionScores(
  table: DocumentTable,
  index: FieldIndex,
  terms: readonly WeighedTerm[],
  scores: Float64Array,
): void {
  const { sessionOf, numbered, sessions } = table.links
  const lengths = sessionLengths(table, index)
  const mean = Math.max(1, index.totalLength / Math.max(1, sessions))
  const totals = new Float64Array(numbered)
  const frequencies = new Float64Array(numbered)
  const touched: number[] = []
  for (const { term, weight } of terms) {
    index.forEach(term, (slot, frequency) => {
      const session = sessionOf[slot] ?? -1
      if (session < 0) return
      if (frequencies[session] === 0) touched.push(session)
      frequencies[session] = (frequencies[session] ?? 0) + frequency
    })
    const rare = weight * rarity(sessions, touched.length)
    for (const session of touched) {
      const frequency = frequencies[session] ?? 0
      const penalty = saturation * (1 - lengthShare + (lengthShare * (lengths[session] ?? 0)) / mean)
      totals[session] = (totals[session] ?? 0) + (rare * frequency * (saturation + 1)) / (frequency + penalty)
      frequencies[session] = 0
    }
    touched.length = 0
  }
  for (let slot = 0; slot < scores.length; slot++) scores[slot] = (scores[slot] ?? 0) + (totals[sessionOf[slot] ?? -1] ?? 0)
}

function sessionLengths({ links: { sessionOf, numbered } }: DocumentTable, { lengths }: FieldIndex): Float64Array {
  const sums = new Float64Array(numbered)
  for (let slot = 0; slot < sessionOf.length; slot++) {
    const session = sessionOf[slot] ?? -1
    if (session >= 0) sums[session] = (sums[session] ?? 0) + (lengths[slot] ?? 0)
  }
  return sums
}
