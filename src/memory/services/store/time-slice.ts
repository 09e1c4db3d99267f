import type { Clock } from "../../../core/ports.ts"
import { otherWork } from "../recall/documents/steps.ts"

/** After so long the next piece of work waits. With a piece of the same length a slice takes at most 8 ms. */
const sliceMs = 4

/** Time that jobs share in one turn of the event loop: once it is used up, timers and other work of the process come before the next piece. */
export class TimeSlice {
  readonly #clock: Clock
  #begunMs = 0
  #next: Promise<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Undefined while there is time left, else the beginning of the next slice. Ask again then: others may have used it up. */
  full(): Promise<void> | undefined {
    const nowMs = this.#clock.nowMs()
    if (this.#next === undefined) {
      this.#begunMs = nowMs
      this.#next = otherWork().then(() => {
        this.#next = undefined
      })
    }
    const passedMs = nowMs - this.#begunMs
    // A clock that was set back tells nothing.
    return passedMs >= 0 && passedMs < sliceMs ? undefined : this.#next
  }
}
