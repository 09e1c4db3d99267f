import type { Clock, Timers } from "../../core/ports.ts"

/** The host's time. */
export const hostClock: Clock = { nowMs: () => Date.now() }

/** The host's timers. */
export const hostTimers: Timers = {
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}
