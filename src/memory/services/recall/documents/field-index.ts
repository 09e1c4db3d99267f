import { isNearTerm } from "../text/near-term.ts"
import { grown } from "./document-columns.ts"
import { listSections, type Section, type SectionReader } from "./sections.ts"
import { type Steps, stepUnits } from "./steps.ts"

/** A list's first block. Each further one is twice as long, up to the largest. */
const firstBlock = 8
const largestBlock = 256
/** The end of a block says where the next one begins. */
const linkBytes = 4
/** In the order of copies. */
const listNames = ["heads", "tails", "ends", "slots", "blocks"] as const

/**
 * Lists of postings by number, all in one array of bytes. A posting is a slot with a frequency. The slots of a list ascend, so each
 * is kept as its distance to the one before, which mostly takes one or two bytes.
 */
export class PostingLists {
  #bytes: Uint8Array = new Uint8Array(1_024)
  #used = 0
  #count = 0
  readonly #lists = {
    heads: new Uint32Array(16),
    /** Behind the last byte of each list. */
    tails: new Uint32Array(16),
    /** The end of each list's last block, without its link. */
    ends: new Uint32Array(16),
    /** The last slot of each list. */
    slots: new Uint32Array(16),
    /** The length of each list's last block. */
    blocks: new Uint32Array(16),
  }

  get bytes(): number {
    return this.#bytes.length + this.#lists.heads.length * 5 * 4
  }

  /** Begins another list and returns its number. */
  begin(): number {
    const list = this.#count++
    for (const name of listNames) this.#lists[name] = grown(this.#lists[name], list)
    this.#lists.heads[list] = this.#block(list, firstBlock)
    return list
  }

  /** Adds a posting to a list. Its slot must be higher than those that stand there; only the first one may be 0. */
  add(list: number, slot: number, frequency: number): void {
    const distance = slot - (this.#lists.slots[list] ?? 0)
    this.#lists.slots[list] = slot
    // An odd number says that a frequency follows, an even one that it is 1.
    this.#write(list, distance * 2 + (frequency > 1 ? 1 : 0))
    if (frequency > 1) this.#write(list, frequency)
  }

  /** Calls `visit` with each posting of a list, in the order of slots. */
  forEach(list: number, visit: (slot: number, frequency: number) => void): void {
    const bytes = this.#bytes
    const tail = this.#lists.tails[list] ?? 0
    let at = this.#lists.heads[list] ?? 0
    let block = firstBlock
    let end = at + block - linkBytes
    const read = (): number => {
      let value = 0
      for (let shift = 0; ; shift += 7) {
        if (at === end) {
          at = this.#link(end)
          block = Math.min(largestBlock, block * 2)
          end = at + block - linkBytes
        }
        const byte = bytes[at++] ?? 0
        value |= (byte & 127) << shift
        if (byte < 128) return value
      }
    }
    for (let slot = 0; at !== tail; ) {
      const value = read()
      slot += value >>> 1
      visit(slot, (value & 1) === 0 ? 1 : read())
    }
  }

  /** All lists, for {@link PostingLists.restored}. */
  *sections(): Generator<Section> {
    yield this.#bytes.subarray(0, this.#used)
    for (const name of listNames) yield this.#lists[name].subarray(0, this.#count)
  }

  /** Reads back what {@link sections} wrote. */
  static restored(reader: SectionReader): PostingLists {
    const lists = new PostingLists()
    lists.#bytes = reader.numbers(Uint8Array)
    lists.#used = lists.#bytes.length
    for (const name of listNames) lists.#lists[name] = reader.numbers(Uint32Array)
    lists.#count = lists.#lists.heads.length
    return lists
  }

  #write(list: number, value: number): void {
    let left = value
    for (; left > 127; left >>>= 7) this.#writeByte(list, (left & 127) | 128)
    this.#writeByte(list, left)
  }

  #writeByte(list: number, byte: number): void {
    const end = this.#lists.ends[list] ?? 0
    if (this.#lists.tails[list] === end) {
      const next = this.#block(list, Math.min(largestBlock, (this.#lists.blocks[list] ?? firstBlock) * 2))
      for (let i = 0; i < linkBytes; i++) this.#bytes[end + i] = (next >>> (8 * i)) & 255
    }
    const at = this.#lists.tails[list] ?? 0
    this.#bytes[at] = byte
    this.#lists.tails[list] = at + 1
  }

  /** Gives a list a new last block and returns its begin. */
  #block(list: number, length: number): number {
    const begin = this.#used
    this.#used += length
    this.#bytes = grown(this.#bytes, this.#used)
    this.#lists.tails[list] = begin
    this.#lists.ends[list] = begin + length - linkBytes
    this.#lists.blocks[list] = length
    return begin
  }

  #link(end: number): number {
    let next = 0
    for (let i = linkBytes - 1; i >= 0; i--) next = next * 256 + (this.#bytes[end + i] ?? 0)
    return next
  }
}

/** BM25's k1: the higher it is, the more do further occurrences of a term count. */
export const saturation = 1.2
/**
 * BM25's b: how much a text that is longer than the mean loses. The more the lengths differ, the more their length is chance and the more a long
 * text loses. Chosen on the development halves of chats with people and with assistants.
 */
const lengthShare = { least: 0.4, perSpread: 0.8, most: 0.9 }
/** From this spread on, texts are of different kinds, such as a remark and a long answer: a shorter text gains what a longer one loses. Below it, it gains nothing, because it says little. */
const mixedSpread = 0.9

const maxFrequency = 255
/** About what a term takes in the dictionary. */
const termBytes = 72

/** The rarity of a property that `found` of `total` documents have, as BM25 counts it. Never negative. */
export function rarity(total: number, found: number): number {
  return Math.log(1 + (total - found + 0.5) / (found + 0.5))
}

/**
 * The inverted index of one field. Documents are added in the order of their slots. Removing a document corrects the counts at once,
 * but its postings stay: readers must skip free slots.
 */
export class FieldIndex {
  /** The numbers of the terms, which are those of their postings. */
  #terms = new Map<string, number>()
  #found: Uint32Array = new Uint32Array(16)
  #postings = new PostingLists()
  /** The number of terms of each slot's document, every occurrence counted. */
  lengths: Uint32Array = new Uint32Array(16)
  totalLength = 0
  /** The number of texts that have terms, and the sum of the squares of their lengths. */
  #texts = 0
  #squares = 0

  /** The size of the arrays, and about that of the dictionary. */
  get bytes(): number {
    return this.#postings.bytes + this.#found.byteLength + this.lengths.byteLength + this.#terms.size * termBytes
  }

  /** The index of so many slots, for {@link FieldIndex.restored}. */
  *sections(slots: number): Generator<Section> {
    yield* listSections([...this.#terms.keys()])
    yield Uint32Array.of(this.totalLength)
    yield this.#found.subarray(0, this.#terms.size)
    yield* this.#postings.sections()
    yield this.lengths.subarray(0, slots)
  }

  /** Reads back what {@link sections} wrote, in steps. */
  static *restored(reader: SectionReader): Steps<FieldIndex> {
    const index = new FieldIndex()
    for (const terms of reader.list<string>()) {
      for (const term of terms) index.#terms.set(term, index.#terms.size)
      yield terms.length
    }
    const [totalLength = 0] = reader.numbers(Uint32Array)
    index.totalLength = totalLength
    index.#found = reader.numbers(Uint32Array)
    index.#postings = PostingLists.restored(reader)
    index.lengths = reader.numbers(Uint32Array)
    for (const length of index.lengths) index.#countLength(length, 1)
    return index
  }

  /** Adds a document in steps. Its slot must be higher than those of all documents that are there. */
  *adding(slot: number, counts: ReadonlyMap<string, number>): Steps<void> {
    this.lengths = grown(this.lengths, slot)
    let units = 0
    for (const [term, count] of counts) {
      this.#put(this.#idOf(term), slot, Math.min(count, maxFrequency))
      this.lengths[slot] = (this.lengths[slot] ?? 0) + count
      this.totalLength += count
      if (++units % stepUnits === 0) yield stepUnits
    }
    this.#countLength(this.lengths[slot] ?? 0, 1)
    yield units % stepUnits
  }

  /** Removes the document at a slot in steps. `counts` must be its terms. */
  *removing(slot: number, counts: ReadonlyMap<string, number>): Steps<void> {
    let units = 0
    for (const term of counts.keys()) {
      const id = this.#terms.get(term)
      if (id !== undefined) this.#found[id] = (this.#found[id] ?? 0) - 1
      if (++units % stepUnits === 0) yield stepUnits
    }
    this.totalLength -= this.lengths[slot] ?? 0
    this.#countLength(this.lengths[slot] ?? 0, -1)
    this.lengths[slot] = 0
    yield units % stepUnits
  }

  /** BM25's penalty for the length of a slot's text. `documents` is their number, for the mean. */
  lengthPenalty(documents: number): (slot: number) => number {
    const { lengths } = this
    const mean = Math.max(1, this.totalLength / Math.max(1, documents))
    const share = Math.min(lengthShare.most, Math.max(lengthShare.least, lengthShare.perSpread * this.#lengthSpread))
    const least = this.hasMixedLengths ? 0 : 1
    return (slot) => saturation * (1 - share + share * Math.max(least, (lengths[slot] ?? 0) / mean))
  }

  /** True if texts of very different lengths stand side by side, as in a chat with an assistant that answers at length. */
  get hasMixedLengths(): boolean {
    return this.#lengthSpread > mixedSpread
  }

  /** The standard deviation of the lengths of texts that have terms, as a share of their mean. */
  get #lengthSpread(): number {
    const mean = this.totalLength / Math.max(1, this.#texts)
    return mean === 0 ? 0 : Math.sqrt(Math.max(0, this.#squares / this.#texts - mean * mean)) / mean
  }

  /** Sums of whole numbers do not depend on the order. */
  #countLength(length: number, by: 1 | -1): void {
    if (length > 0) this.#texts += by
    this.#squares += by * length * length
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

  /** Calls `visit` with each slot that has the term and its frequency there, lowest slot first. Slots of removed documents are included. */
  forEach(term: string, visit: (slot: number, frequency: number) => void): void {
    const id = this.#terms.get(term)
    if (id !== undefined) this.#postings.forEach(id, visit)
  }

  #put(id: number, slot: number, frequency: number): void {
    this.#postings.add(id, slot, frequency)
    this.#found[id] = (this.#found[id] ?? 0) + 1
  }

  #idOf(term: string): number {
    const known = this.#terms.get(term)
    if (known !== undefined) return known
    const id = this.#postings.begin()
    this.#terms.set(term, id)
    this.#found = grown(this.#found, id)
    return id
  }
}
