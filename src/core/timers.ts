import { messageOf } from "./errors.ts"
import type { Clock, RandomSource, Timers } from "./ports.ts"

/** The outcome of a task with a time limit. It is always a value, never a rejection. */
export type Ending<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "timeout" }
  | { readonly status: "aborted" }

/**
 * Runs `task` for at most `timeoutMs`, and only until `signal` aborts. Then the task's own signal aborts, and its later result
 * is ignored.
 */
export function within<T>(
  { timeoutMs, signal, timers }: { readonly timeoutMs: number; readonly signal?: AbortSignal; readonly timers: Timers },
  task: (signal: AbortSignal) => T | Promise<T>,
): Promise<Ending<T>> {
  const controller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<Ending<T>>()
  let timer: unknown
  const settle = (outcome: Ending<T>): void => {
    timers.clear(timer)
    signal?.removeEventListener("abort", onAbort)
    resolve(outcome)
    if (outcome.status === "timeout" || outcome.status === "aborted") controller.abort()
  }
  const onAbort = (): void => settle({ status: "aborted" })
  if (signal?.aborted) {
    onAbort()
    return promise
  }
  signal?.addEventListener("abort", onAbort)
  timer = timers.set(() => settle({ status: "timeout" }), timeoutMs)
  Promise.resolve(controller.signal)
    .then(task)
    .then(
      (value) => settle({ status: "done", value }),
      (error: unknown) => settle({ status: "failed", error }),
    )
  return promise
}

/** Settles as `work` does, or rejects as soon as the signal aborts. The work itself goes on. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onAbort = (): void => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener("abort", onAbort)
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort))
  return promise
}

/** The outcome in words, for a warning, without a full stop: `failed: …` or `took longer than 5000 ms`. */
export function whatHappened(outcome: Ending<unknown>, timeoutMs: number): string {
  if (outcome.status !== "failed") return `took longer than ${timeoutMs} ms`
  const message = messageOf(outcome.error)
  return `failed: ${message.endsWith(".") ? message.slice(0, -1) : message}`
}

/** Returns the wait before the next try: `baseMs` after the first failure, doubled with each further one up to `maxMs`, times a random 0.5 to 1. */
export function growingWaitMs(failures: number, between: { baseMs: number; maxMs: number }, random: RandomSource): number {
  const full = Math.min(between.maxMs, between.baseMs * 2 ** Math.min(30, failures - 1))
  return Math.round(full / 2 + (full / 2) * random())
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(ms: number, { timers, signal }: { readonly timers: Timers; readonly signal: AbortSignal }): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      timers.clear(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = timers.set(end, ms)
    signal.addEventListener("abort", end)
  })
}

/** Timers that do not keep the process alive, where the given ones can be told so. */
export function quietTimers(timers: Timers): Timers {
  return {
    set(callback, delayMs) {
      const timer = timers.set(callback, delayMs)
      ;(timer as { unref?: () => void } | undefined)?.unref?.()
      return timer
    },
    clear: (timer) => timers.clear(timer),
  }
}

/** A timer that can be paused, for example while a person is asked. */
export interface PausableTimer {
  /** Pauses the timer until the returned function is called. Pauses may overlap. */
  pause(): () => void
  /** Begins the whole time anew. */
  restart(): void
  clear(): void
}

/** The longest delay of a timer. With a longer one, the host's timers fire at once. */
const maxDelayMs = 2_147_483_647

/** Starts a timer that calls `callback` once, after `delayMs` without the pauses. */
export function startPausableTimer(
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  delayMs: number,
  callback: () => void,
  { startedMs: begunMs }: { readonly startedMs?: number } = {},
): PausableTimer {
  let [leftMs, startedMs, pauses, isOver] = [delayMs, 0, 0, false]
  let handle: unknown
  const end = (): void => {
    isOver = true
    callback()
  }
  const run = (fromMs = clock.nowMs()): void => {
    startedMs = fromMs
    handle = timers.set(end, Math.min(leftMs, maxDelayMs))
  }
  run(begunMs)
  return {
    pause() {
      if (pauses++ === 0 && !isOver) {
        timers.clear(handle)
        leftMs = Math.max(0, leftMs - (clock.nowMs() - startedMs))
      }
      return once(() => {
        pauses--
        if (pauses === 0 && !isOver) run()
      })
    },
    restart() {
      leftMs = delayMs
      if (pauses > 0 || isOver) return
      timers.clear(handle)
      run()
    },
    clear() {
      isOver = true
      timers.clear(handle)
    },
  }
}

/** A function that does something at its first call only. */
function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
