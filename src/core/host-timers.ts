import type { Timers } from "./ports.ts"

/** The host's own timers. */
export const hostTimers: Timers = {
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}
