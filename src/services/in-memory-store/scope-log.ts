import type { MemoryRow } from "./memory-row.ts"

/** The rows of one scope in the order of their last change; what was replaced or deleted leaves a gap until gaps are the half. */
export class ScopeLog {
  #rows: (MemoryRow | undefined)[] = []
  #sequences: number[] = []
  #gaps = 0

  append(row: MemoryRow): void {
    this.#rows.push(row)
    this.#sequences.push(row.sequence)
  }

  delete({ sequence }: MemoryRow): void {
    const at = this.#firstAfter(sequence - 1)
    if (this.#sequences[at] !== sequence || this.#rows[at] === undefined) return
    this.#rows[at] = undefined
    if (++this.#gaps * 2 > this.#rows.length) this.#closeGaps()
  }

  /** At most so many with a higher sequence, the lowest first. */
  since(sequence: number, limit: number): MemoryRow[] {
    const found: MemoryRow[] = []
    for (let at = this.#firstAfter(sequence); at < this.#rows.length && found.length < limit; at++) {
      const row = this.#rows[at]
      if (row !== undefined) found.push(row)
    }
    return found
  }

  rows(): MemoryRow[] {
    return this.#rows.filter((row) => row !== undefined)
  }

  #firstAfter(sequence: number): number {
    let low = 0
    let high = this.#sequences.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#sequences[middle] ?? 0) <= sequence) low = middle + 1
      else high = middle
    }
    return low
  }

  #closeGaps(): void {
    this.#rows = this.rows()
    this.#sequences = this.#rows.map((row) => row?.sequence ?? 0)
    this.#gaps = 0
  }
}
