import type { SessionKey } from "../../../core/conversation.ts"
import { within } from "../../../core/timers.ts"
import type { Trust } from "../../../core/value.ts"
import type { Observer } from "../../../memory/services/observer.ts"
import type { TurnEvent } from "../../../trace/turn-event.ts"
import type { ObservedTurn, ProfileParts, SharedParts } from "../../turn/turn-context.ts"
import type { AgentOptions } from "../agent-options.ts"
import type { Turn } from "../turn.ts"
import { type FeedParts, ObserverFeed, withoutTrace } from "./observer-feed.ts"

export { addInjections } from "./injection-notes.ts"

/** Passes events to an agent's observers, to each independently of the others. */
export interface ObserverFeeds {
  /** Passes an event on. Neither throws nor waits. */
  tell(turn: ObservedTurn, event: TurnEvent): void
  /** Settles when every observer got every event, or after `drainMs`. */
  idle(): Promise<void>
  /** Passes on no more events. */
  close(): void
}

/** Lets observers begin turns. */
export interface WatchOptions {
  readonly onWake: AgentOptions["onWake"] | undefined
  readonly session: (key: Omit<SessionKey, "agent">) => { wake(reason: string, options: { readonly trust: Trust }): Turn }
}

/** The parts for the feeds of an agent's observers. */
interface FeedsParts extends FeedParts {
  /** The longest that {@link ObserverFeeds.idle} takes. */
  readonly drainMs: number
}

/** Makes the feeds of observers. */
export function createObserverFeeds(observers: readonly Observer[], parts: FeedsParts): ObserverFeeds {
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

export function feedsParts(agent: ProfileParts & SharedParts, { onWake, session }: WatchOptions): FeedsParts {
  const { store, ports, hooks, profile } = agent
  const warn = ({ input: { key, turnId } }: ObservedTurn, message: string): void => {
    // An error of `onWarning` must not stop the feed.
    try {
      agent.onWarning({ key, turnId, message })
    } catch {}
  }
  return {
    store,
    ids: ports.ids,
    timers: ports.timers,
    hooks: new Set(hooks.map(({ name }) => name)),
    drainMs: profile.limits.toolMs,
    warn,
    wake({ input: { key } }, reason, trust) {
      if (agent.isClosed()) return false
      const { conversation, audience } = key
      const turn = session({ conversation, audience }).wake(reason, { trust })
      onWake?.(turn, { agent: key.agent, conversation, audience })
      return true
    },
  }
}
