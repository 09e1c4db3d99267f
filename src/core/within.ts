import { messageOf } from "./errors.ts"
import type { Timers } from "./ports.ts"

/** The outcome of something that was given only so much time; never a rejection. */
export type Timely<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "timeout" }
  | { readonly status: "aborted" }

/**
 * Runs `task` for at most `timeoutMs` and no longer than the signal; what it does after that is ignored, and its
 * own signal has aborted by then.
 */
export function within<T>(
  { timeoutMs, signal, timers }: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly timers: Timers },
  task: (signal: AbortSignal) => T | Promise<T>,
): Promise<Timely<T>> {
  const controller = new AbortController()
  return new Promise((resolve) => {
    let timer: unknown
    const settle = (outcome: Timely<T>): void => {
      timers.clear(timer)
      signal.removeEventListener("abort", onAbort)
      resolve(outcome)
      if (outcome.status === "timeout" || outcome.status === "aborted") controller.abort()
    }
    const onAbort = (): void => settle({ status: "aborted" })
    if (signal.aborted) return onAbort()
    signal.addEventListener("abort", onAbort)
    timer = timers.set(() => settle({ status: "timeout" }), timeoutMs)
    Promise.resolve()
      .then(() => task(controller.signal))
      .then(
        (value) => settle({ status: "done", value }),
        (error: unknown) => settle({ status: "failed", error }),
      )
  })
}

/** What became of it, for a warning, without a full stop: `failed: …` or `took longer than 5000 ms`. */
export function whatHappened(outcome: Timely<unknown>, timeoutMs: number): string {
  if (outcome.status !== "failed") return `took longer than ${timeoutMs} ms`
  const message = messageOf(outcome.error)
  return `failed: ${message.endsWith(".") ? message.slice(0, -1) : message}`
}
