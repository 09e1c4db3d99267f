/** Arrays of scores that one question after the other uses: to make them anew each time costs more than to fill them. */
export class ScoreArrays {
  #arrays: Float64Array[] = []
  #taken = 0
  #size = 0

  get bytes(): number {
    return this.#arrays.length * this.#size * 8
  }

  /** Begins a question over so many slots; what was taken before is used again. */
  restart(size: number): void {
    this.#taken = 0
    if (size === this.#size) return
    this.#size = size
    this.#arrays = []
  }

  /** An array of zeros, a place for each slot. */
  take(): Float64Array {
    const array = this.#arrays[this.#taken] ?? new Float64Array(this.#size)
    this.#arrays[this.#taken++] = array
    return array.fill(0)
  }
}
