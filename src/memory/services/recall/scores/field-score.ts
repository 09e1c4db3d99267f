import { questionMark } from "../documents/document-columns.ts"
import type { DocumentTable } from "../documents/document-table.ts"
import { type FieldIndex, rarity, saturation } from "../documents/field-index.ts"
import type { QueryPlan } from "../query-plan.ts"
import type { TermField } from "../text/document-terms.ts"

/** Scores by slot that the terms of one field give. */
interface FieldScore {
  /** Terms in the document itself. */
  readonly own: Float64Array
  /** Terms in the lines before and after it. */
  readonly neighbours: Float64Array
  /** Terms in its whole session, by talk. */
  readonly session: Float64Array
}

/**
 * Shares of a term for the lines beside. An answer stands after its question, so the previous line counts most: whole if it asks, half
 * otherwise, and half of that if the same person goes on, because nobody answers themselves. All are powers of two, so sums are exact
 * in any order.
 */
const fromQuestion = 1
const fromPrevious = 0.5
const fromSame = 0.5
const fromNext = 0.25
const fromSecondPrevious = 0.25
const fromSecondNext = 0.125
/**
 * The share that a line without words gets of the lines beside it. One of mean length gets twice that, a long one three times: a cheer tells
 * nothing. Beside answers of many paragraphs every line is short, so there all get the same.
 */
const leastTold = 0.5
/** For each such silence between two lines, they count half as much for each other. */
const silenceMs = 3_600_000
/** A term in more lines than this says nothing about the lines beside them. */
const maxSignShare = 0.1
const minSignLines = 20

/** Adds the BM25 of one field to the scores of all documents, their neighbours and their sessions. */
export function scoreField(
  table: DocumentTable,
  field: TermField,
  counts: ReadonlyMap<string, number>,
  scores: FieldScore,
): void {
  const index = table.fields[field]
  const terms = weighedTerms(index, counts, table.size)
  if (terms.length === 0) return
  const window = new TermWindow(table, index.lengthPenalty(table.size))
  for (const term of terms) window.score(index, term, scores)
  addSessionScores(table, index, terms, scores.session)
}

/** Scores the documents that have the words of a question about oneself, without the lines beside them. If it is known who asks, only theirs. */
export function ownScores(table: DocumentTable, own: QueryPlan["own"], askedBy: string | undefined): Float64Array {
  const { words } = table.fields
  const { live, speaker } = table.columns
  const scores = table.scoreArrays.take()
  const penaltyOf = words.lengthPenalty(table.size)
  const asking = askedBy === undefined ? undefined : table.speakerNumber(askedBy)
  for (const { term, weight, rarity } of weighedTerms(words, own, table.size)) {
    words.forEach(term, (slot, frequency) => {
      if (live[slot] === 0 || (asking !== undefined && speaker[slot] !== asking)) return
      table.scoreArrays.add(scores, slot, weight * rarity * saturated(frequency, penaltyOf(slot)))
    })
  }
  return scores
}

/** Scores the documents whose keys have terms of the query, each by its rarity in texts and keys together. */
export function keyScores(table: DocumentTable, { words, characters }: Pick<QueryPlan, "words" | "characters">): Float64Array {
  const { fields, columns, size } = table
  const scores = table.scoreArrays.take()
  const add = (texts: FieldIndex, keys: FieldIndex, counts: ReadonlyMap<string, number>) => {
    for (const [term, weight] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const worth = weight * rarity(size, texts.foundIn(term) + keys.foundIn(term))
      keys.forEach(term, (slot) => {
        if (columns.live[slot] === 1) table.scoreArrays.add(scores, slot, worth)
      })
    }
  }
  add(fields.words, fields.keyWords, words)
  add(fields.characters, fields.keyCharacters, characters)
  return scores
}

/** The frequency of a term as BM25 counts it: the first occurrence counts most. */
export const saturated = (frequency: number, penalty: number) => (frequency * (saturation + 1)) / (frequency + penalty)

/** How much two lines of one talk count for each other by the time between them: a power of two, so that sums stay exact. */
export function nearness({ columns: { atMs } }: DocumentTable, one: number, other: number): number {
  const betweenMs = Math.abs((atMs[other] ?? 0) - (atMs[one] ?? 0))
  return betweenMs < silenceMs ? 1 : 2 ** -Math.floor(betweenMs / silenceMs)
}

/** Scores one term at a time. Each occurrence counts for its own line and, by a share, for the lines around it. */
class TermWindow {
  readonly #table: DocumentTable
  readonly #penaltyOf: (slot: number) => number
  readonly #own: Uint8Array
  readonly #around: Float64Array
  readonly #touched: number[] = []
  #count = 0

  constructor(table: DocumentTable, penaltyOf: (slot: number) => number) {
    this.#table = table
    this.#penaltyOf = penaltyOf
    this.#own = table.scoreArrays.own
    this.#around = table.scoreArrays.around
  }

  score(index: FieldIndex, { term, weight, rarity }: WeighedTerm, scores: FieldScore): void {
    const { columns, size } = this.#table
    const { live } = columns
    const isSign = index.foundIn(term) <= Math.max(minSignLines, size * maxSignShare)
    index.forEach(term, (slot, frequency) => {
      if (live[slot] === 0) return
      if (this.#around[slot] === 0) this.#touched[this.#count++] = slot
      this.#own[slot] = frequency
      if (isSign) this.#spreadAround(slot, Math.min(2, frequency))
    })
    const { own, neighbours } = scores
    const meanLength = Math.max(1, index.totalLength / size)
    const isMixed = index.hasMixedLengths
    for (; this.#count > 0; this.#count--) {
      const slot = this.#touched[this.#count - 1] ?? 0
      const [frequency, beside] = [this.#own[slot] ?? 0, this.#around[slot] ?? 0]
      this.#own[slot] = 0
      this.#around[slot] = 0
      this.#table.scoreArrays.touch(slot)
      const penalty = this.#penaltyOf(slot)
      const alone = saturated(frequency, penalty)
      if (frequency > 0) own[slot] = (own[slot] ?? 0) + weight * rarity * alone
      if (beside === 0) continue
      const tells = isMixed ? 1 : leastTold + Math.min(1, (index.lengths[slot] ?? 0) / meanLength / 2)
      const more = saturated(frequency + beside, penalty) - alone
      neighbours[slot] = (neighbours[slot] ?? 0) + weight * rarity * more * tells
    }
  }

  #spreadAround(slot: number, frequency: number): void {
    const { previous, next } = this.#table.links
    const before = previous[slot] ?? -1
    const after = next[slot] ?? -1
    if (before >= 0) {
      this.#spread(slot, before, frequency * fromNext)
      this.#spread(slot, previous[before] ?? -1, frequency * fromSecondNext)
    }
    if (after >= 0) {
      this.#spread(slot, after, frequency * this.#shareFor(slot, after))
      this.#spread(slot, next[after] ?? -1, frequency * fromSecondPrevious)
    }
  }

  /** The share of a line's terms for the line after it. */
  #shareFor(slot: number, after: number): number {
    const { marks, speaker } = this.#table.columns
    const share = ((marks[slot] ?? 0) & questionMark) === 0 ? fromPrevious : fromQuestion
    return speaker[slot] === speaker[after] ? share * fromSame : share
  }

  #spread(from: number, slot: number, share: number): void {
    if (slot < 0) return
    if (this.#own[slot] === 0 && this.#around[slot] === 0) this.#touched[this.#count++] = slot
    this.#around[slot] = (this.#around[slot] ?? 0) + share * nearness(this.#table, from, slot)
  }
}

/** BM25's b for sessions. */
const lengthShare = 0.75

/** Adds BM25 with whole sessions as documents. */
function addSessionScores(table: DocumentTable, index: FieldIndex, terms: readonly WeighedTerm[], scores: Float64Array): void {
  const { bySlot, count } = table.links.talks
  const lengths = table.links.talkLengths(index)
  const mean = Math.max(1, index.totalLength / Math.max(1, count))
  const totals = new Float64Array(count)
  const frequencies = new Float64Array(count)
  const touched: number[] = []
  for (const { term, weight } of terms) {
    index.forEach(term, (slot, frequency) => {
      const session = bySlot[slot] ?? -1
      if (session < 0) return
      if (frequencies[session] === 0) touched.push(session)
      frequencies[session] = (frequencies[session] ?? 0) + frequency
    })
    const rare = weight * rarity(count, touched.length)
    for (const session of touched) {
      const frequency = frequencies[session] ?? 0
      const penalty = saturation * (1 - lengthShare + (lengthShare * (lengths[session] ?? 0)) / mean)
      totals[session] = (totals[session] ?? 0) + (rare * frequency * (saturation + 1)) / (frequency + penalty)
      frequencies[session] = 0
    }
    touched.length = 0
  }
  for (let talk = 0; talk < count; talk++) scores[talk] = (scores[talk] ?? 0) + (totals[talk] ?? 0)
}

/** A term of the query with its weight and rarity. */
interface WeighedTerm {
  readonly term: string
  readonly weight: number
  readonly rarity: number
}

/** A query reads at most this many terms and postings of a field, those that count most first, so its time is bounded. */
const maxTerms = 96
const maxPostings = 100_000

/** The worth of a text that has each term of a query once. A term that no document has counts as one that a single document has. */
export function wholeWorth(index: FieldIndex, counts: ReadonlyMap<string, number>, total: number): number {
  let worth = 0
  for (const [term, weight] of counts) worth += weight * rarity(total, Math.max(1, index.foundIn(term)))
  return worth
}

/** The terms that count most, in an order that depends only on them. */
function weighedTerms(index: FieldIndex, counts: ReadonlyMap<string, number>, total: number): WeighedTerm[] {
  const terms: WeighedTerm[] = []
  for (const [term, weight] of counts) {
    const found = index.foundIn(term)
    if (found > 0 && weight > 0) terms.push({ term, weight, rarity: rarity(total, found) })
  }
  const count = ({ weight, rarity }: WeighedTerm) => weight * rarity
  terms.sort((a, b) => count(b) - count(a) || (a.term < b.term ? -1 : 1))
  let postings = 0
  return terms.filter(({ term }, i) => {
    postings += index.foundIn(term)
    return i === 0 || (i < maxTerms && postings <= maxPostings)
  })
}
