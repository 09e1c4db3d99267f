import type { Timers } from "../../core/ports.ts"

/** Calls again and again, each time after the one before has settled. */
export function repeat(timers: Timers, everyMs: number, task: () => Promise<unknown> | undefined): { stop(): void } {
  let stopped = false
  let handle: unknown
  const next = () => {
    handle = timers.set(() => {
      void Promise.resolve(task()).then(() => {
        if (!stopped) next()
      })
    }, everyMs)
  }
  next()
  return {
    stop() {
      stopped = true
      timers.clear(handle)
    },
  }
}
