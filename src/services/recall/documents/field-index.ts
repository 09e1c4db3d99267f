import { isNearTerm } from "../text/near-term.ts"
import { grown } from "./document-columns.ts"
import { listSections, type Section, type SectionReader } from "./sections.ts"

/** BM25's k1: the higher it is, the more do further occurrences of a term count. */
export const saturation = 1.2
/** BM25's b: how much a text that is longer than the mean loses. A shorter text gains nothing, because it says little. */
const lengthShare = 0.4

const noPosting = 0
const maxFrequency = 255

/** The rarity of a property that `found` of `total` documents have, as BM25 counts it. Never negative. */
export function rarity(total: number, found: number): number {
  return Math.log(1 + (total - found + 0.5) / (found + 0.5))
}

/**
 * The inverted index of one field. A posting is a slot with a frequency; the postings of a term form a linked list in two arrays.
 * Removing a document corrects the counts at once, but its postings stay until {@link FieldIndex.compacted}: readers must skip
 * free slots.
 */
export class FieldIndex {
  #terms = new Map<string, number>()
  #heads: Uint32Array = new Uint32Array(16)
  #found: Uint32Array = new Uint32Array(16)
  #postings: Uint32Array = new Uint32Array(32)
  #next: Uint32Array = new Uint32Array(32)
  #used = 1
  /** The number of terms of each slot's document, every occurrence counted. */
  lengths: Uint32Array = new Uint32Array(16)
  totalLength = 0
  #penalties: Float64Array | undefined

  /** The size of the arrays, and about that of the dictionary. */
  get bytes(): number {
    const arrays = [this.#heads, this.#found, this.#postings, this.#next, this.lengths]
    return arrays.reduce((sum, array) => sum + array.byteLength, 0) + this.#terms.size * 64
  }

  /** The index of so many slots, for {@link FieldIndex.restored}. */
  *sections(slots: number): Generator<Section> {
    yield* listSections([...this.#terms.keys()])
    yield Uint32Array.of(this.#used, this.totalLength)
    yield this.#heads.subarray(0, this.#terms.size)
    yield this.#found.subarray(0, this.#terms.size)
    yield this.#postings.subarray(0, this.#used)
    yield this.#next.subarray(0, this.#used)
    yield this.lengths.subarray(0, slots)
  }

  /** Reads back what {@link sections} wrote, in steps. */
  static *restored(reader: SectionReader): Generator<void, FieldIndex> {
    const index = new FieldIndex()
    for (const terms of reader.list<string>()) {
      for (const term of terms) index.#terms.set(term, index.#terms.size)
      yield
    }
    const [used = 1, totalLength = 0] = reader.numbers(Uint32Array)
    index.#used = used
    index.totalLength = totalLength
    index.#heads = reader.numbers(Uint32Array)
    index.#found = reader.numbers(Uint32Array)
    index.#postings = reader.numbers(Uint32Array)
    index.#next = reader.numbers(Uint32Array)
    index.lengths = reader.numbers(Uint32Array)
    return index
  }

  add(slot: number, counts: ReadonlyMap<string, number>): void {
    this.lengths = grown(this.lengths, slot)
    let length = 0
    for (const [term, count] of counts) {
      const id = this.#idOf(term)
      this.#link(id, slot * (maxFrequency + 1) + Math.min(count, maxFrequency))
      this.#found[id] = (this.#found[id] ?? 0) + 1
      length += count
    }
    this.lengths[slot] = length
    this.totalLength += length
    this.#penalties = undefined
  }

  /** Removes the document at a slot. `counts` must be its terms. */
  remove(slot: number, counts: ReadonlyMap<string, number>): void {
    for (const term of counts.keys()) {
      const id = this.#terms.get(term)
      if (id !== undefined) this.#found[id] = (this.#found[id] ?? 0) - 1
    }
    this.totalLength -= this.lengths[slot] ?? 0
    this.lengths[slot] = 0
    this.#penalties = undefined
  }

  /** BM25's penalty for the length of each slot's text. `documents` is their number, for the mean. */
  lengthPenalties(documents: number): Float64Array {
    if (this.#penalties !== undefined) return this.#penalties
    const mean = Math.max(1, this.totalLength / Math.max(1, documents))
    const penalties = new Float64Array(this.lengths.length)
    for (let slot = 0; slot < penalties.length; slot++) {
      penalties[slot] = saturation * (1 - lengthShare + lengthShare * Math.max(1, (this.lengths[slot] ?? 0) / mean))
    }
    this.#penalties = penalties
    return penalties
  }

  /** The number of documents in which a term occurs. */
  foundIn(term: string): number {
    const id = this.#terms.get(term)
    return id === undefined ? 0 : (this.#found[id] ?? 0)
  }

  /** The terms of living documents that may be a misspelling of a word, or the other way round: {@link isNearTerm}. At most `limit`, in alphabetical order. */
  near(word: string, limit: number): string[] {
    const found: string[] = []
    for (const term of this.#terms.keys()) if (isNearTerm(word, term) && this.foundIn(term) > 0) found.push(term)
    return found.sort().slice(0, limit)
  }

  /** Calls `visit` with each slot that has the term and its frequency there. Slots of removed documents are included. */
  forEach(term: string, visit: (slot: number, frequency: number) => void): void {
    const id = this.#terms.get(term)
    if (id === undefined) return
    for (let at = this.#heads[id] ?? noPosting; at !== noPosting; at = this.#next[at] ?? noPosting) {
      const posting = this.#postings[at] ?? 0
      visit(posting >>> 8, posting & maxFrequency)
    }
  }

  /** The same index with new slot numbers, given by old slot. A negative number leaves the slot out. */
  compacted(slotAfter: Int32Array): FieldIndex {
    const compact = new FieldIndex()
    for (const term of this.#terms.keys()) {
      if (this.foundIn(term) > 0) compact.#copyTerm(term, this, slotAfter)
    }
    this.lengths.forEach((length, slot) => {
      const after = slotAfter[slot] ?? -1
      if (after < 0) return
      compact.lengths = grown(compact.lengths, after)
      compact.lengths[after] = length
    })
    compact.totalLength = this.totalLength
    return compact
  }

  #copyTerm(term: string, from: FieldIndex, slotAfter: Int32Array): void {
    const id = this.#idOf(term)
    from.forEach(term, (slot, frequency) => {
      const after = slotAfter[slot] ?? -1
      if (after < 0) return
      this.#link(id, after * (maxFrequency + 1) + frequency)
      this.#found[id] = (this.#found[id] ?? 0) + 1
    })
  }

  #idOf(term: string): number {
    const known = this.#terms.get(term)
    if (known !== undefined) return known
    const id = this.#terms.size
    this.#terms.set(term, id)
    this.#heads = grown(this.#heads, id)
    this.#found = grown(this.#found, id)
    return id
  }

  #link(id: number, posting: number): void {
    const at = this.#used++
    this.#postings = grown(this.#postings, at)
    this.#next = grown(this.#next, at)
    this.#postings[at] = posting
    this.#next[at] = this.#heads[id] ?? noPosting
    this.#heads[id] = at
  }
}
