import { grown } from "./growable.ts"

/** How fast further occurrences stop counting: BM25's k1. */
export const saturation = 1.2
/** How much a text that is longer than the mean pays for it; a shorter one gains nothing, as it says little. */
const lengthShare = 0.4

const noPosting = 0
const maxFrequency = 255

/** Rarity as BM25 counts it: of `total` things, `found` have the mark. Never negative. */
export function rarity(total: number, found: number): number {
  return Math.log(1 + (total - found + 0.5) / (found + 0.5))
}

/**
 * The postings of one field, in two arrays: each is a slot with a frequency, and the place of the next one. What is removed is
 * counted out at once and unlinked by {@link FieldIndex.compact}; a reader passes over slots that it knows to be free.
 */
export class FieldIndex {
  #terms = new Map<string, number>()
  #heads: Uint32Array = new Uint32Array(16)
  #found: Uint32Array = new Uint32Array(16)
  #postings: Uint32Array = new Uint32Array(32)
  #next: Uint32Array = new Uint32Array(32)
  #used = 1
  #lengths: Uint32Array = new Uint32Array(16)
  #totalLength = 0
  #penalties: Float64Array | undefined

  /** How many terms the document at a slot has, each counted as often as it occurs. */
  get lengths(): Uint32Array {
    return this.#lengths
  }

  get totalLength(): number {
    return this.#totalLength
  }

  /** What the arrays take, and about what the dictionary does. */
  get bytes(): number {
    const arrays = [this.#heads, this.#found, this.#postings, this.#next, this.#lengths]
    return arrays.reduce((sum, array) => sum + array.byteLength, 0) + this.#terms.size * 64
  }

  add(slot: number, counts: ReadonlyMap<string, number>): void {
    this.#lengths = grown(this.#lengths, slot)
    let length = 0
    for (const [term, count] of counts) {
      const id = this.#idOf(term)
      this.#link(id, slot * (maxFrequency + 1) + Math.min(count, maxFrequency))
      this.#found[id] = (this.#found[id] ?? 0) + 1
      length += count
    }
    this.#lengths[slot] = length
    this.#totalLength += length
    this.#penalties = undefined
  }

  /** Takes a document out, whose terms these are. */
  remove(slot: number, counts: ReadonlyMap<string, number>): void {
    for (const term of counts.keys()) {
      const id = this.#terms.get(term)
      if (id !== undefined) this.#found[id] = (this.#found[id] ?? 0) - 1
    }
    this.#totalLength -= this.#lengths[slot] ?? 0
    this.#lengths[slot] = 0
    this.#penalties = undefined
  }

  /** What the text at each slot pays for its length, the mean being that of so many documents. */
  lengthPenalties(documents: number): Float64Array {
    if (this.#penalties !== undefined) return this.#penalties
    const mean = Math.max(1, this.#totalLength / Math.max(1, documents))
    const penalties = new Float64Array(this.#lengths.length)
    for (let slot = 0; slot < penalties.length; slot++) {
      penalties[slot] = saturation * (1 - lengthShare + lengthShare * Math.max(1, (this.#lengths[slot] ?? 0) / mean))
    }
    this.#penalties = penalties
    return penalties
  }

  /** In how many documents a term occurs. */
  foundIn(term: string): number {
    const id = this.#terms.get(term)
    return id === undefined ? 0 : (this.#found[id] ?? 0)
  }

  /** Calls `visit` with each slot that has the term, those of removed documents among them, and how often. */
  forEach(term: string, visit: (slot: number, frequency: number) => void): void {
    const id = this.#terms.get(term)
    if (id === undefined) return
    for (let at = this.#heads[id] ?? noPosting; at !== noPosting; at = this.#next[at] ?? noPosting) {
      const posting = this.#postings[at] ?? 0
      visit(posting >>> 8, posting & maxFrequency)
    }
  }

  /** The same index with each slot renumbered; a negative number leaves it out. */
  compacted(slotAfter: Int32Array): FieldIndex {
    const compact = new FieldIndex()
    for (const term of this.#terms.keys()) {
      if (this.foundIn(term) > 0) compact.#copyTerm(term, this, slotAfter)
    }
    this.#lengths.forEach((length, slot) => {
      const after = slotAfter[slot] ?? -1
      if (after < 0) return
      compact.#lengths = grown(compact.#lengths, after)
      compact.#lengths[after] = length
    })
    compact.#totalLength = this.#totalLength
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
