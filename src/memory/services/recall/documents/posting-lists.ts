import { grown } from "./document-columns.ts"
import type { Section, SectionReader } from "./sections.ts"

/** A list's first block. Each further one is twice as long, up to the largest. */
const firstBlock = 8
const largestBlock = 256
/** The end of a block says where the next one begins. */
const linkBytes = 4

/**
 * Lists of postings by number, all in one array of bytes. A posting is a slot with a frequency. The slots of a list ascend, so each
 * is kept as its distance to the one before, which mostly takes one or two bytes.
 */
export class PostingLists {
  #bytes: Uint8Array = new Uint8Array(1_024)
  #used = 0
  #count = 0
  #heads: Uint32Array = new Uint32Array(16)
  /** Behind the last byte of each list. */
  #tails: Uint32Array = new Uint32Array(16)
  /** The end of each list's last block, without its link. */
  #ends: Uint32Array = new Uint32Array(16)
  /** The last slot of each list. */
  #slots: Uint32Array = new Uint32Array(16)
  #blocks: Uint32Array = new Uint32Array(16)

  get bytes(): number {
    return this.#bytes.length + this.#heads.length * 5 * 4
  }

  /** Begins another list and returns its number. */
  begin(): number {
    const list = this.#count++
    this.#heads = grown(this.#heads, list)
    this.#tails = grown(this.#tails, list)
    this.#ends = grown(this.#ends, list)
    this.#slots = grown(this.#slots, list)
    this.#blocks = grown(this.#blocks, list)
    this.#heads[list] = this.#block(list, firstBlock)
    return list
  }

  /** Adds a posting to a list. Its slot must be higher than those that stand there; only the first one may be 0. */
  add(list: number, slot: number, frequency: number): void {
    const distance = slot - (this.#slots[list] ?? 0)
    this.#slots[list] = slot
    // An odd number says that a frequency follows, an even one that it is 1.
    this.#write(list, distance * 2 + (frequency > 1 ? 1 : 0))
    if (frequency > 1) this.#write(list, frequency)
  }

  /** Calls `visit` with each posting of a list, in the order of slots. */
  forEach(list: number, visit: (slot: number, frequency: number) => void): void {
    const bytes = this.#bytes
    const tail = this.#tails[list] ?? 0
    let at = this.#heads[list] ?? 0
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
    for (const numbers of [this.#heads, this.#tails, this.#ends, this.#slots, this.#blocks])
      yield numbers.subarray(0, this.#count)
  }

  /** Reads back what {@link sections} wrote. */
  static restored(reader: SectionReader): PostingLists {
    const lists = new PostingLists()
    lists.#bytes = reader.numbers(Uint8Array)
    lists.#used = lists.#bytes.length
    lists.#heads = reader.numbers(Uint32Array)
    lists.#tails = reader.numbers(Uint32Array)
    lists.#ends = reader.numbers(Uint32Array)
    lists.#slots = reader.numbers(Uint32Array)
    lists.#blocks = reader.numbers(Uint32Array)
    lists.#count = lists.#heads.length
    return lists
  }

  #write(list: number, value: number): void {
    let left = value
    for (; left > 127; left >>>= 7) this.#writeByte(list, (left & 127) | 128)
    this.#writeByte(list, left)
  }

  #writeByte(list: number, byte: number): void {
    const end = this.#ends[list] ?? 0
    if (this.#tails[list] === end) {
      const next = this.#block(list, Math.min(largestBlock, (this.#blocks[list] ?? firstBlock) * 2))
      for (let i = 0; i < linkBytes; i++) this.#bytes[end + i] = (next >>> (8 * i)) & 255
    }
    const at = this.#tails[list] ?? 0
    this.#bytes[at] = byte
    this.#tails[list] = at + 1
  }

  /** Gives a list a new last block and returns its begin. */
  #block(list: number, length: number): number {
    const begin = this.#used
    this.#used += length
    this.#bytes = grown(this.#bytes, this.#used)
    this.#tails[list] = begin
    this.#ends[list] = begin + length - linkBytes
    this.#blocks[list] = length
    return begin
  }

  #link(end: number): number {
    let next = 0
    for (let i = linkBytes - 1; i >= 0; i--) next = next * 256 + (this.#bytes[end + i] ?? 0)
    return next
  }
}
