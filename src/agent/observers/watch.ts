import type { SessionKey } from "../../core/keys.ts"
import type { AgentOptions } from "../agent-options.ts"
import type { AgentParts } from "../agent-parts.ts"
import type { Turn } from "../turn.ts"
import type { ObservedTurn } from "./observer-context.ts"
import { createObservers, type Observers } from "./observers.ts"

/** Opens sessions for what observers wake. */
export interface WatchOptions {
  readonly options: Pick<AgentOptions, "onWake">
  readonly session: (key: Omit<SessionKey, "agent">) => { wake(reason: string): Turn }
}

/** Feeds an agent's observers, with what they can reach of it. Undefined where it has none. */
export function watch(parts: Omit<AgentParts, "observers">, { options, session }: WatchOptions): Observers | undefined {
  const { store, ports, hooks, profile } = parts
  const warn = ({ input: { key, turnId } }: ObservedTurn, message: string): void => {
    // Whoever is warned cannot stop the feed by failing.
    try {
      parts.onWarning({ key, turnId, message })
    } catch {}
  }
  return createObservers(parts.watchers, {
    store,
    ids: ports.ids,
    timers: ports.timers,
    hooks: new Set(hooks.map(({ name }) => name)),
    drainMs: profile.limits.toolMs,
    warn,
    wake({ input: { key } }, reason) {
      if (parts.isClosed()) return false
      const { conversation, audience } = key
      const turn = session({ conversation, audience }).wake(reason)
      options.onWake?.(turn, { agent: key.agent, conversation, audience })
      return true
    },
  })
}
