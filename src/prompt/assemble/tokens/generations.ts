/**
 * A bounded map of two generations. When the young generation is full, it becomes the old one, and the old one is forgotten.
 * An old value that is asked for becomes young again. The map holds at most twice the limits.
 */
export class Generations<Key, Value> {
  readonly #limits: { readonly entries: number; readonly weight: number }
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #weight = 0
  #oldWeight = 0

  constructor(limits: { readonly entries: number; readonly weight?: number }) {
    this.#limits = { weight: Number.POSITIVE_INFINITY, ...limits }
  }

  /** The weight of everything that it holds. */
  get weight(): number {
    return this.#weight + this.#oldWeight
  }

  /** Gives a value. `weight` counts against the limit if the value becomes young again. */
  get(key: Key, weight = 0): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old, weight)
    return old
  }

  set(key: Key, value: Value, weight = 0): void {
    if (this.#young.size >= this.#limits.entries || this.#weight + weight > this.#limits.weight) {
      this.#old = this.#young
      this.#young = new Map()
      this.#oldWeight = this.#weight
      this.#weight = 0
    }
    this.#young.set(key, value)
    this.#weight += weight
  }
}
