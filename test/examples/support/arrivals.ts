/** What has come in so far, for tests that wait for more of it. */
export class Arrivals<T> {
  readonly all: T[] = []
  readonly #waiting = new Set<() => void>()

  add(one: T): void {
    this.all.push(one)
    for (const check of this.#waiting) check()
  }

  /** Resolves to everything once `count` have come in. */
  reach(count: number): Promise<readonly T[]> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.all.length < count) return
        this.#waiting.delete(check)
        resolve(this.all)
      }
      this.#waiting.add(check)
      check()
    })
  }
}
