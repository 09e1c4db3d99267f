/** Work that is done in steps. Each yields about how many terms or values it has handled since the step before. */
export type Steps<T> = Generator<number, T>

/** A step ends after about so many terms or values. That many take about a millisecond. */
export const stepUnits = 1_024

/** Does all steps at once. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * So many units of work are done before other work of the process has its turn. They take two to three milliseconds. The first slices of
 * long work are shorter, because code that has just been loaded is slow.
 */
const sliceUnits = { first: 32, longer: 8, most: 2_048 }

/** Lets timers and other waiting work of the process run. A host without `setImmediate` waits for a timer. */
export function otherWork(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

/** Does long work in slices. Other work of the process has its turn between them. */
export class Slices {
  #units = 0
  #most = sliceUnits.most

  /** Begins long work. */
  begin(): void {
    this.#most = sliceUnits.first
  }

  /** Does steps to their end. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      if (this.#isFull(value)) await otherWork()
    }
  }

  /** Counts work that is done already. */
  async count(units: number): Promise<void> {
    if (this.#isFull(units)) await otherWork()
  }

  #isFull(units: number): boolean {
    this.#units += units
    if (this.#units < this.#most) return false
    this.#units = 0
    this.#most = Math.min(sliceUnits.most, this.#most + sliceUnits.longer)
    return true
  }
}
