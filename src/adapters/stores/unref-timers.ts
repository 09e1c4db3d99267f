import type { Timers } from "../../core/ports.ts"

/** Timers that do not keep the process alive. */
export const unrefTimers: Timers = {
  set: (callback, delayMs) => setTimeout(callback, delayMs).unref(),
  clear: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}
