import type { RankTable } from "./rank-table.ts"

/** A merge to do is its rank × this + its offset: the lowest rank comes first, of equal ranks the leftmost. */
const offsetLimit = 2 ** 32

/**
 * The merge of byte-pair encoding over one piece of so many bytes: of all neighbours whose bytes together are a token,
 * those with the lowest rank, the leftmost first, until there are none. A heap finds them, so that n bytes take
 * O(n log n): an unbroken run of 100,000 characters is a piece like any other.
 */
export class PieceMerge {
  readonly #table: RankTable
  readonly #work: Work
  readonly #merges: NumberHeap
  // The parts of the piece, by where each begins: where it ends, where the one before begins, and the rank of the token
  // that it makes with the one after, -1 where they make none or it was merged away.
  readonly #end: Int32Array
  readonly #previous: Int32Array
  readonly #rank: Int32Array
  #bytes: Uint8Array = new Uint8Array()
  #length = 0

  constructor(capacityBytes: number, table: RankTable, work: Work) {
    this.#table = table
    this.#work = work
    // A merge takes one off and adds at most two, and there are fewer merges than bytes.
    this.#merges = new NumberHeap(capacityBytes * 2, work)
    this.#end = new Int32Array(capacityBytes)
    this.#previous = new Int32Array(capacityBytes)
    this.#rank = new Int32Array(capacityBytes)
  }

  /** How many tokens the first `length` bytes make. */
  run(bytes: Uint8Array, length: number): number {
    this.#begin(bytes, length)
    let tokens = length
    for (let first = this.#merges.pop(); first !== undefined; first = this.#merges.pop()) {
      const at = first % offsetLimit
      // Its part has grown or is gone since.
      if (this.#rank[at] !== (first - at) / offsetLimit) continue
      this.#join(at)
      tokens--
    }
    return tokens
  }

  /** Where the token ends that begins at an offset, after a run. */
  tokenEnd(at: number): number {
    return this.#end[at] ?? this.#length
  }

  #begin(bytes: Uint8Array, length: number): void {
    this.#bytes = bytes
    this.#length = length
    for (let at = 0; at < length; at++) {
      this.#end[at] = at + 1
      this.#previous[at] = at - 1
    }
    for (let at = 0; at < length; at++) {
      const rank = this.#lookUp(at)
      if (rank >= 0) this.#merges.append(rank * offsetLimit + at)
    }
    this.#merges.arrange()
  }

  #join(at: number): void {
    const next = this.tokenEnd(at)
    const end = this.tokenEnd(next)
    this.#end[at] = end
    this.#rank[next] = -1
    if (end < this.#length) this.#previous[end] = at
    const rank = this.#lookUp(at)
    if (rank >= 0) this.#merges.push(rank * offsetLimit + at)
    const before = this.#previous[at] ?? -1
    const rankBefore = before >= 0 ? this.#lookUp(before) : -1
    if (rankBefore >= 0) this.#merges.push(rankBefore * offsetLimit + before)
  }

  /** The rank of the token that the part at an offset makes with the next one. */
  #lookUp(at: number): number {
    const next = this.tokenEnd(at)
    const end = next < this.#length ? this.tokenEnd(next) : next
    const rank = end > next ? this.#table.rank(this.#bytes, at, end) : -1
    this.#work.steps += end - at
    this.#rank[at] = rank
    return rank
  }
}

/** Numbers, the lowest first: a binary heap in one typed array. Every level that a number moves is a step of work. */
export class NumberHeap {
  readonly #values: Float64Array
  readonly #work: Work
  #size = 0

  constructor(capacity: number, work: Work) {
    this.#values = new Float64Array(capacity)
    this.#work = work
  }

  /** Adds a number without order: {@link NumberHeap.arrange} has to follow. */
  append(value: number): void {
    this.#values[this.#size++] = value
  }

  /** Puts what was appended in order, in linear time. */
  arrange(): void {
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(at, this.#values[at] ?? 0)
  }

  push(value: number): void {
    let at = this.#size++
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = this.#values[parent] ?? 0
      this.#work.steps++
      if (above <= value) break
      this.#values[at] = above
      at = parent
    }
    this.#values[at] = value
  }

  /** Takes the lowest off; undefined when there is none. */
  pop(): number | undefined {
    if (this.#size === 0) return undefined
    const lowest = this.#values[0]
    this.#size--
    this.#sink(0, this.#values[this.#size] ?? 0)
    return lowest
  }

  #sink(from: number, value: number): void {
    let at = from
    for (let child = 2 * at + 1; child < this.#size; child = 2 * at + 1) {
      const right = child + 1
      if (right < this.#size && (this.#values[right] ?? 0) < (this.#values[child] ?? 0)) child = right
      const below = this.#values[child] ?? 0
      this.#work.steps++
      if (value <= below) break
      this.#values[at] = below
      at = child
    }
    this.#values[at] = value
  }
}

/** How much was done: bytes looked up and moves in the heap of merges. Tests and benchmarks measure growth by it. */
export interface Work {
  steps: number
}
