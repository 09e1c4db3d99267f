import { PromptStrataError } from "../../../core/errors.ts"
import type { RandomSource, Timers } from "../../../core/ports.ts"
import { growingWaitMs } from "../../../core/timers.ts"
import type { Job, JobSettings } from "./job-runner.ts"

/** The reason that attempts get which a closing runner stops. */
export function runnerClosed(): PromptStrataError {
  const message = "The job runner was closed before this job was done; it stays for the next one."
  return new PromptStrataError("closed", message)
}

/** The wait after a failed attempt, counted from 1. */
export function retryWaitMs(attempt: number, { waitMs, maxWaitMs }: JobSettings, random: RandomSource): number {
  return growingWaitMs(attempt, { baseMs: waitMs, maxMs: maxWaitMs }, random)
}

/**
 * Runs one attempt of a job. It rejects, and the task's signal aborts, after `timeoutMs` or when the function that `onStop` gets is
 * called. The outcome of a task that goes on after that is ignored.
 */
export function runAttempt(
  limits: {
    readonly timeoutMs: number
    readonly timers: Timers
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
    const tooLong = (): void => {
      const message = `expected the job to be done within ${timeoutMs} ms; it was not, and this attempt was stopped.`
      stop(new PromptStrataError("store", message))
    }
    const timer = timers.set(tooLong, timeoutMs)
    onStop(stop)
    Promise.resolve()
      .then(() => task(controller.signal))
      .then(resolve, reject)
      .finally(() => timers.clear(timer))
  })
}

/** How long a conversation is quiet before its {@link Job.quiet} job is due. */
const quietMs = 60_000

/** The first moment at which a new job is due if nothing hastens it; 0 for at once. */
export function firstDueMs({ dueMs, quiet, atMs }: Job): number {
  return dueMs ?? (quiet ? atMs + quietMs : 0)
}

/** A job that is due later than so many milliseconds from now was put off before the clock was set back, and is due. */
export function longestWaitMs({ maxWaitMs }: JobSettings): number {
  return 2 * Math.max(maxWaitMs, quietMs)
}
