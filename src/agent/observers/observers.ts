import { PromptStrataError } from "../../core/errors.ts"
import type { Timers } from "../../core/ports.ts"
import type { Observer } from "../../services/observer.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import { within } from "../../turn/within.ts"
import { isPlainKey } from "./injection-notes.ts"
import { withoutTrace } from "./observed-event.ts"
import type { ObservedTurn } from "./observer-context.ts"
import { type FeedParts, ObserverFeed } from "./observer-feed.ts"

/** An agent's observers, each fed by itself. */
export interface Observers {
  /** Passes an event on. Neither throws nor waits. */
  tell(turn: ObservedTurn, event: TurnEvent): void
  /** Settles when all were told everything, or `drainMs` later. */
  idle(): Promise<void>
  /** Tells them nothing more. */
  close(): void
}

/** Watches for observers. Undefined where there are none. Throws `usage` for a bad name or bound. */
export function createObservers(
  observers: readonly Observer[],
  parts: FeedParts & { readonly drainMs: number; readonly timers: Timers },
): Observers | undefined {
  if (observers.length === 0) return undefined
  for (const observer of observers) checkObserver(observer)
  const feeds = observers.map((observer) => new ObserverFeed(observer, parts))
  return {
    tell(turn, event) {
      const seen = withoutTrace(event)
      for (const feed of feeds) feed.tell(turn, seen)
    },
    async idle() {
      const signal = new AbortController().signal
      await within({ timeoutMs: parts.drainMs, signal, timers: parts.timers }, async () => {
        await Promise.all(feeds.map((feed) => feed.idle()))
      })
    },
    close() {
      for (const feed of feeds) feed.close()
    },
  }
}

function checkObserver({ name, timeoutMs = 1, maxQueued = 1 }: Observer): void {
  if (!isPlainKey(name))
    throw new PromptStrataError(
      "usage",
      `expected an observer's name of letters, digits, _ and -, found ${JSON.stringify(name)}.`,
      { hint: "main-observer, for one: what watches the main process." },
    )
  for (const [field, value] of Object.entries({ timeoutMs, maxQueued })) {
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue
    throw new PromptStrataError("usage", `expected ${field} of the observer ${name} to be a whole number from 1, found ${value}.`)
  }
}
