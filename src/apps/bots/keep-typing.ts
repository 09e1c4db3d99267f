import { checkOptions } from "../../core/check-options.ts"
import { hostTimers, type Timers } from "../../core/ports.ts"

/** Options of {@link keepTyping}. */
export interface TypingOptions {
  /** Time from one call to the next. Default 4,000: Telegram shows the sign for 5 seconds, Discord for 10. */
  readonly everyMs?: number
  /** Gets each failure. The sign is shown again at the next time all the same. */
  readonly onError?: (error: unknown) => void
  /** Timers of a test. */
  readonly timers?: Timers | undefined
}

/**
 * Shows that the bot is typing, now and again until the returned function is called. A call that is still under way is not repeated.
 * A failure is passed to `onError` and never thrown.
 */
export function keepTyping(show: () => unknown, options: TypingOptions = {}): () => void {
  checkOptions("keepTyping", options, "everyMs onError timers")
  const { everyMs = 4_000, onError, timers = hostTimers } = options
  let timer: unknown
  let isOver = false
  const again = async (): Promise<void> => {
    try {
      await show()
    } catch (error) {
      onError?.(error)
    }
    if (!isOver) timer = timers.set(() => void again(), everyMs)
  }
  void again()
  return () => {
    isOver = true
    timers.clear(timer)
  }
}
