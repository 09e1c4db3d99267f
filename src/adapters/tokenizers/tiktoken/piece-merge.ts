import type { RankTable } from "./rank-table.ts"

/** A merge is stored as its rank × this number + its offset. So the lowest rank comes first, and of equal ranks the leftmost. */
const offsetLimit = 2 ** 32

/**
 * The merge of byte-pair encoding over one piece. Of all neighbours whose bytes together are a token, it joins those with the lowest
 * rank, the leftmost first, until there are none. A heap finds them, so n bytes take O(n log n), also for an unbroken run of 100,000
 * characters.
 */
export class PieceMerge {
  readonly #table: RankTable
  readonly #work: MergeWork
  readonly #merges: NumberHeap
  // The parts of the piece, by their offset: the end, the offset of the part before, and the rank of the token that the part makes with
  // the next one. The rank is -1 when they make none, or when the part was merged into another.
  readonly #end: Int32Array
  readonly #previous: Int32Array
  readonly #rank: Int32Array
  #bytes: Uint8Array = new Uint8Array()
  #length = 0

  constructor(capacityBytes: number, table: RankTable, work: MergeWork) {
    this.#table = table
    this.#work = work
    // Each merge removes one entry and adds at most two, and there are fewer merges than bytes.
    this.#merges = new NumberHeap(capacityBytes * 2, work)
    this.#end = new Int32Array(capacityBytes)
    this.#previous = new Int32Array(capacityBytes)
    this.#rank = new Int32Array(capacityBytes)
  }

  /** Merges the first `length` bytes and returns the number of tokens. */
  run(bytes: Uint8Array, length: number): number {
    this.#begin(bytes, length)
    let tokens = length
    for (let first = this.#merges.pop(); first !== undefined; first = this.#merges.pop()) {
      const at = first % offsetLimit
      // The part has been merged since this entry was added.
      if (this.#rank[at] !== (first - at) / offsetLimit) continue
      this.#join(at)
      tokens--
    }
    return tokens
  }

  /** The end of the token that begins at an offset, after a run. */
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

/** A binary heap of numbers, lowest first, in one typed array. Each level that a number moves is a step of work. */
export class NumberHeap {
  readonly #values: Float64Array
  readonly #work: MergeWork
  #size = 0

  constructor(capacity: number, work: MergeWork) {
    this.#values = new Float64Array(capacity)
    this.#work = work
  }

  /** Adds a number without keeping the order. Call {@link NumberHeap.arrange} afterwards. */
  append(value: number): void {
    this.#values[this.#size++] = value
  }

  /** Orders the appended numbers, in linear time. */
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

  /** Removes the lowest number and returns it; undefined when the heap is empty. */
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

/** The work done: bytes looked up, and moves in the heap of merges. Tests and benchmarks measure growth with it. */
export interface MergeWork {
  steps: number
}
