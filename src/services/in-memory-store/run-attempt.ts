import { PromptStrataError } from "../../core/errors.ts"
import type { Timers } from "../../core/ports.ts"

/** Runs one attempt of a job, at most so long and until it is stopped; what it does after that is ignored, and its signal has aborted. */
export function runAttempt(
  limits: {
    readonly timeoutMs: number
    readonly timers: Timers
    /** Told how to stop it. */
    readonly onStop: (stop: (reason: PromptStrataError) => void) => void
  },
  task: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { timeoutMs, timers, onStop } = limits
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const stop = (reason: PromptStrataError): void => {
      timers.clear(timer)
      reject(reason)
      controller.abort(reason)
    }
    const timer = timers.set(() => stop(tookTooLong(timeoutMs)), timeoutMs)
    onStop(stop)
    Promise.resolve()
      .then(() => task(controller.signal))
      .then(resolve, reject)
      .finally(() => timers.clear(timer))
  })
}

function tookTooLong(timeoutMs: number): PromptStrataError {
  return new PromptStrataError("store", `The attempt was given up after ${timeoutMs} ms.`)
}
