import type { DocumentTable } from "./document-table.ts"

/** The slots with the highest scores, best first; of equals the newest, then by id. */
export function topSlots(table: DocumentTable, scores: Float64Array, limit: number): number[] {
  const { slots, size } = table
  const { live, atMs } = table.columns
  const wanted = Math.min(Math.ceil(limit), size)
  if (!(wanted > 0)) return []
  const least = leastOf(scores, live, slots, wanted)
  const found: number[] = []
  for (let slot = 0; slot < slots; slot++) if (live[slot] === 1 && (scores[slot] ?? 0) >= least) found.push(slot)
  const id = (slot: number) => table.documentAt(slot)?.id ?? ""
  const byScore = (a: number, b: number) => (scores[b] ?? 0) - (scores[a] ?? 0) || (atMs[b] ?? 0) - (atMs[a] ?? 0)
  return found.sort((a, b) => byScore(a, b) || (id(a) < id(b) ? -1 : 1)).slice(0, wanted)
}

/** The score of the last one wanted. What is surely too low is never sorted. */
function leastOf(scores: Float64Array, live: Uint8Array, slots: number, wanted: number): number {
  const kept = new Float64Array(wanted * 4)
  let count = 0
  let least = Number.NEGATIVE_INFINITY
  for (let slot = 0; slot < slots; slot++) {
    const score = scores[slot] ?? 0
    if (live[slot] === 0 || score <= least) continue
    kept[count++] = score
    if (count < kept.length) continue
    kept.sort().copyWithin(0, count - wanted)
    count = wanted
    least = kept[0] ?? least
  }
  return kept.subarray(0, count).sort()[count - wanted] ?? least
}
