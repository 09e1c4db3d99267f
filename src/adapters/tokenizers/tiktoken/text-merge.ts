import { type MergeWork, PieceMerge } from "./piece-merge.ts"
import type { RankTable } from "./rank-table.ts"

/** Buffers for texts of so many bytes are reused. A longer text gets its own. */
const keptBytes = 4096

/** Merges the bytes of one text after the other. The buffers are reused, so an answer is about the text that was loaded last. */
export class TextMerge {
  readonly #table: RankTable
  readonly #work: MergeWork
  readonly #keptMerge: PieceMerge
  readonly #keptBytes = new Uint8Array(keptBytes)
  #merge: PieceMerge
  #bytes: Uint8Array = this.#keptBytes
  #length = 0

  constructor(table: RankTable, work: MergeWork) {
    this.#table = table
    this.#work = work
    this.#keptMerge = new PieceMerge(keptBytes, table, work)
    this.#merge = this.#keptMerge
  }

  /** Takes a well-formed text from `from` to `to`. */
  load(text: string, from: number, to: number): void {
    const mostBytes = (to - from) * 3
    this.#bytes = mostBytes <= keptBytes ? this.#keptBytes : new Uint8Array(mostBytes)
    this.#length = writeUtf8(text, from, to, this.#bytes)
  }

  /** True if the whole text is one token. */
  isToken(): boolean {
    return this.#table.rank(this.#bytes, 0, this.#length) >= 0
  }

  /** Merges the text and returns the number of tokens. */
  run(): number {
    this.#merge = this.#length <= keptBytes ? this.#keptMerge : new PieceMerge(this.#length, this.#table, this.#work)
    return this.#merge.run(this.#bytes, this.#length)
  }

  /** After a run, the places between characters at which a token ends, as UTF-16 offsets, and the tokens up to each. The first is 0. */
  places(): { readonly ends: number[]; readonly sums: number[] } {
    const [ends, sums] = [[0], [0]]
    let [units, tokens] = [0, 0]
    for (let at = 0, end = 0; at < this.#length; at = end) {
      end = this.#merge.tokenEnd(at)
      tokens++
      for (let byte = at; byte < end; byte++) units += unitsOfByte(this.#bytes[byte] ?? 0)
      if (end < this.#length && isContinuation(this.#bytes[end] ?? 0)) continue
      ends.push(units)
      sums.push(tokens)
    }
    return { ends, sums }
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/** The UTF-16 units of the character that a byte begins; 0 for its other bytes. */
function unitsOfByte(byte: number): number {
  return isContinuation(byte) ? 0 : byte >= 0xf0 ? 2 : 1
}

/**
 * Writes a well-formed text from `from` to `to` as UTF-8 into `bytes`, and returns how many bytes it wrote. `bytes` needs room for three
 * per UTF-16 unit.
 */
export function writeUtf8(text: string, from: number, to: number, bytes: Uint8Array): number {
  let end = 0
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) {
      bytes[end++] = unit
      continue
    }
    if (unit < 0x800) {
      bytes[end++] = 0xc0 | (unit >> 6)
    } else {
      const codePoint = text.codePointAt(at) ?? 0
      if (codePoint < 0x10000) {
        bytes[end++] = 0xe0 | (codePoint >> 12)
      } else {
        at++
        bytes[end++] = 0xf0 | (codePoint >> 18)
        bytes[end++] = 0x80 | ((codePoint >> 12) & 0x3f)
      }
      bytes[end++] = 0x80 | ((codePoint >> 6) & 0x3f)
    }
    bytes[end++] = 0x80 | (text.charCodeAt(at) & 0x3f)
  }
  return end
}
