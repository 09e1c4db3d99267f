import type { Clock, Timers } from "./ports.ts"

/** A timer that stands still while somebody is asked. */
export interface PausableTimer {
  /** Stops the time until the function handed back is called; pauses may overlap. */
  pause(): () => void
  clear(): void
}

/** Longer delays make timers fire at once. */
const maxDelayMs = 2_147_483_647

/** Starts a timer that calls `callback` once after `delayMs` of time that was not paused. */
export function startPausableTimer(
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  delayMs: number,
  callback: () => void,
  { startedMs: begunMs }: { readonly startedMs?: number } = {},
): PausableTimer {
  let leftMs = Math.min(delayMs, maxDelayMs)
  let startedMs = begunMs ?? clock.nowMs()
  let handle: unknown
  let pauses = 0
  let isOver = false
  const run = (): void => {
    handle = timers.set(() => {
      isOver = true
      callback()
    }, leftMs)
  }
  const resumeOne = (): void => {
    pauses--
    if (pauses > 0 || isOver) return
    startedMs = clock.nowMs()
    run()
  }
  run()
  return {
    pause() {
      pauses++
      if (pauses === 1 && !isOver) {
        timers.clear(handle)
        leftMs = Math.max(0, leftMs - (clock.nowMs() - startedMs))
      }
      let isPaused = true
      return () => {
        if (isPaused) resumeOne()
        isPaused = false
      }
    },
    clear() {
      isOver = true
      timers.clear(handle)
    },
  }
}
