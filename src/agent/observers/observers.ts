import type { SessionKey } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Timers } from "../../core/ports.ts"
import { within } from "../../core/timers.ts"
import type { Observer } from "../../services/observer.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import type { AgentContext, ObservedTurn } from "../../turn/turn-context.ts"
import type { AgentOptions } from "../agent-options.ts"
import type { Turn } from "../turn.ts"
import { isPlainKey } from "./injection-notes.ts"
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

/** Makes the feeds of observers. Undefined if there are none. Throws `usage` for a bad name or bound. */
export function createObserverFeeds(
  observers: readonly Observer[],
  parts: FeedParts & { readonly drainMs: number; readonly timers: Timers },
): ObserverFeeds | undefined {
  if (observers.length === 0) return undefined
  for (const observer of observers) checkObserver(observer)
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

function checkObserver({ name, timeoutMs = 1, maxQueued = 1 }: Observer): void {
  if (!isPlainKey(name))
    throw new PromptStrataError(
      "usage",
      `expected an observer's name of letters, digits, _ and -, found ${JSON.stringify(name)}.`,
      { hint: "Choose a name such as main-observer." },
    )
  for (const [field, value] of Object.entries({ timeoutMs, maxQueued })) {
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue
    throw new PromptStrataError("usage", `expected ${field} of the observer ${name} to be a whole number from 1, found ${value}.`)
  }
}

/** Lets observers begin turns. */
interface WatchOptions {
  readonly onWake: AgentOptions["onWake"] | undefined
  readonly session: (key: Omit<SessionKey, "agent">) => { wake(reason: string): Turn }
}

/** Passes the events of an agent to its observers. Undefined if it has none. */
export function watch(
  agent: Omit<AgentContext, "tellObservers">,
  observers: readonly Observer[],
  { onWake, session }: WatchOptions,
): ObserverFeeds | undefined {
  const { store, ports, hooks, profile } = agent
  const warn = ({ input: { key, turnId } }: ObservedTurn, message: string): void => {
    // An error of `onWarning` must not stop the feed.
    try {
      agent.onWarning({ key, turnId, message })
    } catch {}
  }
  return createObserverFeeds(observers, {
    store,
    ids: ports.ids,
    timers: ports.timers,
    hooks: new Set(hooks.map(({ name }) => name)),
    drainMs: profile.limits.toolMs,
    warn,
    wake({ input: { key } }, reason) {
      if (agent.isClosed()) return false
      const { conversation, audience } = key
      const turn = session({ conversation, audience }).wake(reason)
      onWake?.(turn, { agent: key.agent, conversation, audience })
      return true
    },
  })
}
