import type { Timers } from "../../core/ports.ts"

/** Makes a signal that aborts after `ms`, with the error `WHAT within MS ms`, or with `other`. `clear` removes the limit. */
export function deadline(ms: number, what: string, { timers, other }: { readonly timers: Timers; readonly other: AbortSignal }) {
  const late = new AbortController()
  const timer = timers.set(() => late.abort(new Error(`${what} within ${ms} ms`)), ms)
  return { signal: AbortSignal.any([late.signal, other]), clear: () => timers.clear(timer) }
}
