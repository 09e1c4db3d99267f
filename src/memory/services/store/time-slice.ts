import type { Clock } from "../../../core/ports.ts"
import { otherWork } from "../recall/documents/steps.ts"

/** After so long the next piece of work waits. With a piece of the same length a slice takes at most 8 ms. */
const sliceMs = 4

/** Time that jobs share: once it is used up, timers and other work of the process have their turn before the next piece. */
export class TimeSlice {
  readonly #clock: Clock
  #begunMs: number
  #next: Promise<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#begunMs = clock.nowMs()
  }

  /** Undefined while there is time left, else the beginning of the next slice. Ask again then: others may have used it up. */
  full(): Promise<void> | undefined {
    const passedMs = this.#clock.nowMs() - this.#begunMs
    // A clock that was set back tells nothing.
    if (passedMs >= 0 && passedMs < sliceMs) return undefined
    this.#next ??= otherWork().then(() => {
      this.#begunMs = this.#clock.nowMs()
      this.#next = undefined
    })
    return this.#next
  }
}
