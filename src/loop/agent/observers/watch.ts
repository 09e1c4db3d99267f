import { PromptStrataError } from "../../../core/errors.ts"
import { isPlainKey, type Observer } from "../../../memory/services/observer.ts"
import type { TurnHook } from "../../../memory/services/turn-hook.ts"
import type { ProfileParts, SharedParts } from "../../turn/turn-context.ts"
import { loadAside } from "../borders/load-aside.ts"
import { injectionOwner } from "../note-hooks.ts"
import type { ObserverFeeds, WatchOptions } from "./observers.ts"

function checkObserver({ name, timeoutMs = 1, maxQueued = 1 }: Observer): void {
  if (!isPlainKey(name)) {
    const message = `expected an observer's name of letters, digits, _ and -, found ${JSON.stringify(name)}.`
    throw new PromptStrataError("usage", message, { hint: "Choose a name such as main-observer." })
  }
  for (const [field, value] of Object.entries({ timeoutMs, maxQueued })) {
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue
    throw new PromptStrataError("usage", `expected ${field} of the observer ${name} to be a whole number from 1, found ${value}.`)
  }
}

/** Shows the injections that observers left. */
export const injectionHook: TurnHook = {
  name: injectionOwner,
  async beforeTurn(context) {
    ;(await loadAside()).addInjections(context)
  },
}

/**
 * Passes the events of an agent to its observers. Undefined if it has none. Throws `usage` for a bad name or bound. The feeds are
 * loaded beside the first turn; events that come before wait for them.
 */
export function watch(
  agent: ProfileParts & SharedParts,
  observers: readonly Observer[],
  options: WatchOptions,
): ObserverFeeds | undefined {
  if (observers.length === 0) return undefined
  for (const observer of observers) checkObserver(observer)
  // Each event waits for the feeds, so all come in their order.
  const loading = loadAside().then((aside) => aside.createObserverFeeds(observers, aside.feedsParts(agent, options)))
  return {
    tell: (turn, event) => void loading.then((feeds) => feeds.tell(turn, event)),
    idle: async () => (await loading).idle(),
    close: () => void loading.then((feeds) => feeds.close()),
  }
}
