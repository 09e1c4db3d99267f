import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { Clock, Timers } from "../../core/ports.ts"
import { startPausableTimer } from "../../core/timers.ts"

/** Ends a turn when the caller aborts it or its time limit passes. */
export interface Deadline {
  /** Aborted with a typed error: `aborted` or `turn-timeout`. */
  readonly signal: AbortSignal
  /** Pauses the time limit until the returned function is called. Pauses may overlap. */
  pause(): () => void
  /** Ends the time limit and stops listening to the caller's signal. */
  close(): void
}

/** Starts the time limit of a turn. Time in which it is paused does not count. Whoever starts it closes it. */
export function startDeadline(turnMs: number, ports: { clock: Clock; timers: Timers }, signal: AbortSignal): Deadline {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(abortError(signal.reason))
  if (signal.aborted) onAbort()
  signal.addEventListener("abort", onAbort)
  const timer = startPausableTimer(ports, turnMs, () => controller.abort(timeoutError(turnMs)))
  return {
    signal: controller.signal,
    pause: timer.pause,
    close() {
      timer.clear()
      signal.removeEventListener("abort", onAbort)
    },
  }
}

/** The error of a turn that its caller aborted. A reason that is an error of this library stays as it is. */
export function abortError(reason: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(reason)) return reason
  const why = reason === undefined || (reason instanceof Error && reason.name === "AbortError") ? "" : `: ${messageOf(reason)}`
  return new PromptStrataError("aborted", `The turn was aborted${why}.`, { cause: reason })
}

function timeoutError(turnMs: number): PromptStrataError {
  return new PromptStrataError("turn-timeout", `expected the turn to end within ${turnMs} ms; it did not.`, {
    hint: "Raise limits.turnMs, or look at the trace for what took so long.",
    evidence: { limit: "turnMs", limitMs: turnMs },
  })
}
