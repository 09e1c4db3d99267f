import type { Turn } from "../agent/turn.ts"
import { exitCodes } from "./exit-codes.ts"

/** What Ctrl-C means: the first aborts the turn that runs; without one, or again within the same turn, it leaves. */
export interface Interrupts {
  /** One press of Ctrl-C. */
  press(): void
  /** The turn that runs from now until it ends. */
  running(turn: Turn): void
  /** Ends the program now with this exit code, aborting what runs. */
  leave(code: number): void
  /** Settles with the exit code when the program is to end now. */
  readonly left: Promise<number>
}

/** Interrupts of one run of the program. */
export function createInterrupts(): Interrupts {
  const { promise: left, resolve } = Promise.withResolvers<number>()
  let current: { readonly turn: Turn; aborted: boolean } | undefined
  const abort = (): void => {
    if (!current) return
    current.aborted = true
    current.turn.abort()
  }
  const leave = (code: number): void => {
    abort()
    resolve(code)
  }
  return {
    left,
    leave,
    press() {
      if (current === undefined || current.aborted) leave(exitCodes.interrupted)
      else abort()
    },
    running(turn) {
      const entry = { turn, aborted: false }
      current = entry
      void turn.result.finally(() => {
        if (current === entry) current = undefined
      })
    },
  }
}
