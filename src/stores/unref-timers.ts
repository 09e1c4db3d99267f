import type { Timers } from "../core/ports.ts"

/** Timers that do not keep a process from ending. */
export const unheldTimers: Timers = {
  set: (callback, delayMs) => setTimeout(callback, delayMs).unref(),
  clear: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}
