import type { DocumentTable } from "./document-table.ts"
import { type FieldIndex, saturation } from "./field-index.ts"
import { addSessionScores } from "./session-score.ts"
import type { TermField } from "./text/document-terms.ts"
import { type WeighedTerm, weighedTerms } from "./weighed-term.ts"

/** What one field's terms say for each slot. */
export interface FieldScore {
  /** For the document itself. */
  readonly own: Float64Array
  /** What the lines beside it add. */
  readonly neighbours: Float64Array
  /** For its whole session. */
  readonly session: Float64Array
}

/** An answer stands after its question, so the line before counts most. All are halves of halves: sums are exact in any order. */
const fromPrevious = 0.5
const fromNext = 0.25
const fromSecondPrevious = 0.125
const fromSecondNext = 0.125
/** What more lines than this say is no sign for the lines beside them. */
const maxSignShare = 0.1
const minSignLines = 20

/** Adds BM25 of one field to the scores of all documents, and of their neighbours and sessions. */
export function scoreField(
  table: DocumentTable,
  field: TermField,
  counts: ReadonlyMap<string, number>,
  scores: FieldScore,
): void {
  const index = table.fields[field]
  const terms = weighedTerms(index, counts, table.size)
  if (terms.length === 0) return
  const window = new TermWindow(table, index.lengthPenalties(table.size))
  for (const term of terms) window.score(index, term, scores)
  addSessionScores(table, index, terms, scores.session)
}

/** BM25's count of a frequency: the first occurrence counts most. */
export const saturated = (frequency: number, penalty: number) => (frequency * (saturation + 1)) / (frequency + penalty)

/** Scores a term at a time, each occurrence for its own line and, by its share, for those around. */
class TermWindow {
  readonly #table: DocumentTable
  readonly #penalty: Float64Array
  readonly #own: Float64Array
  readonly #around: Float64Array
  readonly #touched: Int32Array
  readonly #isTouched: Uint8Array
  #touchedCount = 0

  constructor(table: DocumentTable, penalty: Float64Array) {
    this.#table = table
    this.#penalty = penalty
    this.#own = table.scoreArrays.take()
    this.#around = table.scoreArrays.take()
    this.#touched = new Int32Array(table.slots)
    this.#isTouched = new Uint8Array(table.slots)
  }

  score(index: FieldIndex, { term, weight, rarity }: WeighedTerm, scores: FieldScore): void {
    const { columns, size } = this.#table
    const { live } = columns
    const isSign = index.foundIn(term) <= Math.max(minSignLines, size * maxSignShare)
    index.forEach(term, (slot, frequency) => {
      if (live[slot] === 0) return
      this.#spread(slot, 0, 0)
      this.#own[slot] = frequency
      if (isSign) this.#spreadAround(slot, Math.min(2, frequency))
    })
    const { own, neighbours } = scores
    for (let i = 0; i < this.#touchedCount; i++) {
      const slot = this.#touched[i] ?? 0
      const penalty = this.#penalty[slot] ?? 1
      const alone = saturated(this.#own[slot] ?? 0, penalty)
      const all = saturated((this.#own[slot] ?? 0) + (this.#around[slot] ?? 0), penalty)
      own[slot] = (own[slot] ?? 0) + weight * rarity * alone
      neighbours[slot] = (neighbours[slot] ?? 0) + weight * rarity * (all - alone)
      this.#own[slot] = 0
      this.#around[slot] = 0
      this.#isTouched[slot] = 0
    }
    this.#touchedCount = 0
  }

  #spreadAround(slot: number, frequency: number): void {
    const { previous, next } = this.#table.links
    const before = previous[slot] ?? -1
    const after = next[slot] ?? -1
    if (before >= 0) {
      this.#spread(before, frequency, fromNext)
      this.#spread(previous[before] ?? -1, frequency, fromSecondNext)
    }
    if (after >= 0) {
      this.#spread(after, frequency, fromPrevious)
      this.#spread(next[after] ?? -1, frequency, fromSecondPrevious)
    }
  }

  #spread(slot: number, frequency: number, share: number): void {
    if (slot < 0) return
    if (this.#isTouched[slot] === 0) {
      this.#isTouched[slot] = 1
      this.#touched[this.#touchedCount++] = slot
    }
    this.#around[slot] = (this.#around[slot] ?? 0) + frequency * share
  }
}
