import type { TurnEvent } from "../../trace/turn-event.ts"

/** Passes on a child's events up to a bound; beyond it only its end, so that a child that never stops talking fills no parent's log. */
export class ChildEvents {
  readonly #tell: (event: TurnEvent) => void
  readonly #max: number
  #count = 0
  #leftOut = 0

  constructor(maxEvents: number, tell: (event: TurnEvent) => void) {
    this.#max = maxEvents
    this.#tell = tell
  }

  /** Events that were not passed on. */
  get leftOut(): number {
    return this.#leftOut
  }

  take(event: TurnEvent): void {
    if (this.#count < this.#max || event.type === "turn-end") {
      this.#count++
      this.#tell(event)
    } else this.#leftOut++
  }
}
