import { checkType } from "../core/check-options.ts"
import type { Clock, IdGenerator, RandomSource, Timers } from "../core/ports.ts"

/** A clock that only moves by `advance`. */
export interface ManualClock extends Clock {
  /** Moves on by this many milliseconds. Fires no timers: use {@link ManualTimers.advance} for that. */
  advance(ms: number): void
}

/** Timers that only fire by `advance`. */
export interface ManualTimers extends Timers {
  /** The number of timers that are set and neither fired nor cleared. */
  readonly pending: number
  /** Moves the clock on and fires every timer that becomes due, by time, then by order of setting. Each one sees its own time. */
  advance(ms: number): void
  /** Resolves as soon as at least that many timers are pending. */
  whenPending(count: number): Promise<void>
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** Creates a clock that starts at `startMs`, milliseconds since 1970. */
export function manualClock(startMs = 0): ManualClock {
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    advance(ms) {
      nowMs += ms
    },
  }
}

/** Creates timers over a manual clock, to test timeouts without waiting. */
export function manualTimers(clock: ManualClock): ManualTimers {
  const timers = new Set<Timer>()
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  return {
    get pending() {
      return timers.size
    },
    set(callback, delayMs) {
      const timer: Timer = { callback, dueMs: clock.nowMs() + Math.max(0, delayMs) }
      timers.add(timer)
      for (const { count, resolve } of waiting) if (timers.size >= count) resolve()
      return timer
    },
    clear: (handle) => void timers.delete(handle as Timer),
    advance(ms) {
      const endMs = clock.nowMs() + ms
      for (let timer = nextDue(timers, endMs); timer; timer = nextDue(timers, endMs)) {
        timers.delete(timer)
        clock.advance(Math.max(0, timer.dueMs - clock.nowMs()))
        timer.callback()
      }
      clock.advance(Math.max(0, endMs - clock.nowMs()))
    },
    whenPending: (count) =>
      new Promise((resolve) => {
        if (timers.size >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}

/** A set keeps the order of insertion, so of equal timers the one set first is found. */
function nextDue(timers: ReadonlySet<Timer>, endMs: number): Timer | undefined {
  let next: Timer | undefined
  for (const timer of timers) if (timer.dueMs <= endMs && timer.dueMs < (next?.dueMs ?? Number.POSITIVE_INFINITY)) next = timer
  return next
}

/** Creates ids that count up for each prefix: `turn-1`, `turn-2`, `call-1`. */
export function countingIds(): IdGenerator {
  const counts = new Map<string, number>()
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1
      counts.set(prefix, count)
      return `${prefix}-${count}`
    },
  }
}

/** Creates a random source with the same numbers for the same seed, uniform over [0, 1). Not for secrets. */
export function seededRandom(seed: number): RandomSource {
  checkType("the seed of seededRandom", seed, "number")
  let state = seed | 0
  return () => {
    // A Weyl sequence, scrambled: neighbouring seeds and neighbouring draws share no pattern.
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}
