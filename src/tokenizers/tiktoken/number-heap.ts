import type { Work } from "./work.ts"

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
