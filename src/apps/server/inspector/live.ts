import type { Timers } from "../../../core/ports.ts"
import type { Recorder } from "./recorder.ts"

/** Between two looks at what changed, so that an answer that streams is not sent again for each of its characters. */
const pauseMs = 40

/**
 * Yields the ids of turns that changed, each at most once in a while. A reader that is slow misses no turn and makes nothing wait: what
 * waits for it is a set of ids, and no event. Ends when `signal` aborts.
 */
export async function* changedTurns(
  recorder: Recorder,
  { timers, signal }: { readonly timers: Timers; readonly signal: AbortSignal },
): AsyncGenerator<readonly string[]> {
  const changed = new Set<string>()
  let wake = Promise.withResolvers<void>()
  const stop = recorder.listen((turnId) => {
    changed.add(turnId)
    wake.resolve()
  })
  const onAbort = (): void => wake.resolve()
  signal.addEventListener("abort", onAbort)
  try {
    while (!signal.aborted) {
      await wake.promise
      if (signal.aborted) return
      wake = Promise.withResolvers()
      const ids = [...changed]
      changed.clear()
      yield ids
      await new Promise<void>((resolve) => {
        timers.set(resolve, pauseMs)
      })
    }
  } finally {
    stop()
    signal.removeEventListener("abort", onAbort)
  }
}
