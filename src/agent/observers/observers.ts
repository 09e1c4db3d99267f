import type { Timers } from "../../core/ports.ts"
import { within } from "../../core/timers.ts"
import type { Observer } from "../../services/observer.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import type { ObservedTurn } from "../../turn/turn-context.ts"
import { type FeedParts, ObserverFeed, withoutTrace } from "./observer-feed.ts"

/** Passes events to an agent's observers, to each independently of the others. */
export interface ObserverFeeds {
  /** Passes an event on. Neither throws nor waits. */
  tell(turn: ObservedTurn, event: TurnEvent): void
  /** Settles when every observer got every event, or after `drainMs`. */
  idle(): Promise<void>
  /** Passes on no more events. */
  close(): void
}

/** Makes the feeds of observers. */
export function createObserverFeeds(
  observers: readonly Observer[],
  parts: FeedParts & { readonly drainMs: number; readonly timers: Timers },
): ObserverFeeds {
  const feeds = observers.map((observer) => new ObserverFeed(observer, parts))
  return {
    tell(turn, event) {
      const seen = withoutTrace(event)
      for (const feed of feeds) feed.tell(turn, seen)
    },
    async idle() {
      await within({ timeoutMs: parts.drainMs, timers: parts.timers }, async () => {
        await Promise.all(feeds.map((feed) => feed.idle()))
      })
    },
    close() {
      for (const feed of feeds) feed.close()
    },
  }
}
