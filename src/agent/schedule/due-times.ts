import type { CronTimes } from "./cron.ts"

/** A clock set back by less repeats nothing. */
const smallStepMs = 60 * 60 * 1_000

/** Missed moments that are looked at, at most: beyond them one is taken to have been outside the quiet hours. */
const maxMissed = 500

/** Keeps track of which moments of a schedule have come. */
export class DueTimes {
  readonly #times: CronTimes
  readonly #isQuiet: (ms: number) => boolean
  #lastMs: number
  #nextMs: number | undefined

  constructor(times: CronTimes, isQuiet: (ms: number) => boolean, nowMs: number) {
    this.#times = times
    this.#isQuiet = isQuiet
    this.#lastMs = nowMs
    this.#nextMs = times.after(nowMs)
  }

  /** The next moment; undefined where none will come. */
  get nextMs(): number | undefined {
    return this.#nextMs
  }

  /** Takes all moments up to now, as one. True where that is to be acted on: one of them, and now, lie outside the quiet hours. */
  take(nowMs: number): boolean {
    const isSetBack = nowMs < this.#lastMs - smallStepMs
    if (isSetBack) this.#nextMs = this.#times.after(nowMs)
    this.#lastMs = isSetBack ? nowMs : Math.max(this.#lastMs, nowMs)
    if (this.#nextMs === undefined || nowMs < this.#nextMs) return false
    const wanted = !this.#isQuiet(nowMs) && this.#hasWanted(this.#nextMs, nowMs)
    this.#nextMs = this.#times.after(nowMs)
    return wanted
  }

  #hasWanted(firstMs: number, nowMs: number): boolean {
    let dueMs: number | undefined = firstMs
    for (let seen = 0; seen < maxMissed; seen++) {
      if (dueMs === undefined || dueMs > nowMs) return false
      if (!this.#isQuiet(dueMs)) return true
      dueMs = this.#times.after(dueMs)
    }
    return true
  }
}
