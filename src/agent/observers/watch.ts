import type { SessionKey } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Trust } from "../../core/value.ts"
import type { Observer } from "../../services/observer.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import type { AgentContext, ObservedTurn } from "../../turn/turn-context.ts"
import type { AgentOptions } from "../agent-options.ts"
import type { Turn } from "../turn.ts"
import { isPlainKey } from "./injection-notes.ts"
import type { createObserverFeeds, ObserverFeeds } from "./observers.ts"

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
  readonly session: (key: Omit<SessionKey, "agent">) => { wake(reason: string, options: { readonly trust: Trust }): Turn }
}

/** Loaded with the first agent that has observers. */
let makeFeeds: typeof createObserverFeeds | undefined

/**
 * Passes the events of an agent to its observers. Undefined if it has none. Throws `usage` for a bad name or bound. The feeds are
 * loaded beside the first turn; events that come before wait for them.
 */
export function watch(
  agent: Omit<AgentContext, "tellObservers">,
  observers: readonly Observer[],
  options: WatchOptions,
): ObserverFeeds | undefined {
  if (observers.length === 0) return undefined
  for (const observer of observers) checkObserver(observer)
  const early: [turn: ObservedTurn, event: TurnEvent][] = []
  let feeds = makeFeeds?.(observers, feedParts(agent, options))
  let isClosed = false
  const load = async (): Promise<void> => {
    makeFeeds ??= (await import("./observers.ts")).createObserverFeeds
    feeds = makeFeeds(observers, feedParts(agent, options))
    for (const [turn, event] of early.splice(0)) feeds.tell(turn, event)
    if (isClosed) feeds.close()
  }
  const loading = feeds ? undefined : load()
  return {
    tell(turn, event) {
      if (feeds) feeds.tell(turn, event)
      else early.push([turn, event])
    },
    async idle() {
      await loading
      await feeds?.idle()
    },
    close() {
      isClosed = true
      feeds?.close()
    },
  }
}

function feedParts(
  agent: Omit<AgentContext, "tellObservers">,
  { onWake, session }: WatchOptions,
): Parameters<typeof createObserverFeeds>[1] {
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
