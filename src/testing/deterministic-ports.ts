import type { Clock, IdGenerator, RandomSource, Timers } from "../core/ports.ts"

/** A clock that stands still until it is told. */
export interface ManualClock extends Clock {
  /** Moves on by this many milliseconds. Timers are not fired: see {@link ManualTimers.advance}. */
  advance(ms: number): void
}

/** Timers that fire when they are told. */
export interface ManualTimers extends Timers {
  /** How many are set and not yet fired or cleared. */
  readonly pending: number
  /** Moves the clock on and fires what becomes due, in order of time, then of setting; the clock shows each one's moment. */
  advance(ms: number): void
  /** Resolves as soon as at least that many timers are pending. */
  whenPending(count: number): Promise<void>
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** A clock that starts at `startMs`, milliseconds since 1970. */
export function manualClock(startMs = 0): ManualClock {
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    advance(ms) {
      nowMs += ms
    },
  }
}

/** Timers over a manual clock, for limits that are tested without waiting. */
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

/** A set keeps the order of setting, so the first of equal ones is the one set first. */
function nextDue(timers: ReadonlySet<Timer>, endMs: number): Timer | undefined {
  let next: Timer | undefined
  for (const timer of timers) if (timer.dueMs <= endMs && timer.dueMs < (next?.dueMs ?? Number.POSITIVE_INFINITY)) next = timer
  return next
}

/** Ids that count up per prefix: `turn-1`, `turn-2`, `call-1`. */
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

/** The same numbers for the same seed, evenly spread over [0, 1). Not for secrets. */
export function seededRandom(seed: number): RandomSource {
  let state = seed | 0
  return () => {
    // A Weyl sequence, scrambled: neighbouring seeds and neighbouring draws share no pattern.
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}
