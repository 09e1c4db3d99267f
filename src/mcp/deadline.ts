import type { Timers } from "../core/ports.ts"

/** Makes a signal that aborts after `ms`, with the error `WHAT within MS ms`, or with `other`. `clear` removes the limit. */
export function deadline(ms: number, what: string, { timers, other }: { readonly timers: Timers; readonly other: AbortSignal }) {
  const late = new AbortController()
  const timer = timers.set(() => late.abort(new Error(`${what} within ${ms} ms`)), ms)
  return { signal: AbortSignal.any([late.signal, other]), clear: () => timers.clear(timer) }
}

/** Settles as `work` does, or rejects as soon as the signal aborts. The work itself goes on. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    const done = (): void => signal.removeEventListener("abort", onAbort)
    work.then(resolve, reject).finally(done)
    if (signal.aborted) onAbort()
    else signal.addEventListener("abort", onAbort, { once: true })
  })
}
