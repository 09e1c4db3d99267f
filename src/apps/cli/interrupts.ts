import type { Turn } from "../../loop/agent/turn.ts"
import { exitCodes } from "./io.ts"

/** Handles Ctrl-C: it aborts the running turn. Without a running turn, or pressed twice in one turn, it ends the program. */
export interface Interrupts {
  /** One press of Ctrl-C. */
  press(): void
  /** Sets the running turn, or whatever else a press ends, until it ends. */
  running(turn: Pick<Turn, "result" | "abort">): void
  /** Aborts the running turn and, once that has ended and its words are kept, ends the program with this exit code. */
  leave(code: number): void
  /** Resolves to the exit code when the program must end. */
  readonly left: Promise<number>
}

/** Creates the interrupts for one run of the program. */
export function createInterrupts(): Interrupts {
  const { promise: left, resolve } = Promise.withResolvers<number>()
  let current: { readonly turn: Pick<Turn, "result" | "abort">; aborted: boolean } | undefined
  const abort = (): void => {
    if (!current) return
    current.aborted = true
    current.turn.abort()
  }
  return {
    left,
    leave(code) {
      abort()
      void Promise.resolve(current?.turn.result).finally(() => resolve(code))
    },
    press() {
      if (current === undefined || current.aborted) resolve(exitCodes.interrupted)
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
