import { PromptStrataError } from "../../../core/errors.ts"
import { onDemand } from "../../../core/late.ts"
import type { LanguageModel } from "../../../core/model/language-model.ts"
import { virtualContextName } from "../../../memory/forgetting/plugin/virtual-context-name.ts"
import type { AskModel } from "../../../memory/services/background/background-job.ts"
import type { Observer } from "../../../memory/services/observer.ts"
import { observerKeys } from "../../../profile/keys/turn.ts"
import type { Profile } from "../../../profile/profile.ts"
import { withDefaults } from "../../../profile/resolve.ts"
import type { AgentOptions } from "../agent-options.ts"
import { loadAside } from "../borders/load-aside.ts"
import { givenModel } from "../child/tool-processes.ts"
import type { ObserverParts } from "./watched-turn.ts"

interface ObserverSurroundings extends Pick<ObserverParts, "dialect" | "ports" | "putReceipt"> {
  readonly options: Pick<AgentOptions, "models" | "plugins" | "hooks" | "observers">
  /** Makes a function that asks a model; without one, the agent's. */
  readonly askWith: (model: LanguageModel | undefined) => AskModel
}

/**
 * Makes the observers that a profile declares (R26), apart from those that the program replaces by one of the same name. The code that
 * looks at turns is loaded with the first turn. Throws `profile` if the agent has no virtual context, on which they work.
 */
export function profileObservers(profile: Profile, surroundings: ObserverSurroundings): readonly Observer[] {
  return Object.entries(profile.observers).flatMap(([name, given]): Observer[] => {
    const settings = withDefaults(observerKeys, given)
    const { options, askWith, dialect, ports, putReceipt } = surroundings
    const { models = {}, plugins = [], hooks = [], observers = [] } = options
    if (!settings.enabled || observers.some((own) => own.name === name)) return []
    const all = [...[...profile.plugins, ...plugins].flatMap((plugin) => plugin.hooks ?? []), ...hooks]
    if (!all.some((hook) => hook.name === virtualContextName)) throw noVirtualContext(profile, name)
    const model = givenModel(profile, { table: "observers", name, settings: given, models })
    const { timeZone } = profile
    return [observerOf({ name, settings, dialect, timeZone, ask: askWith(model), ports, putReceipt })]
  })
}

function observerOf(parts: ObserverParts): Observer {
  const watching = onDemand(async () => (await loadAside()).watchTurns(parts))
  return {
    name: parts.name,
    events: ["tool-end", "turn-end"],
    timeoutMs: parts.settings.timeoutMs,
    observe: async (event, context) => (await watching())(event, context),
  }
}

function noVirtualContext({ name: profile }: Profile, observer: string): PromptStrataError {
  const message = `Profile ${JSON.stringify(profile)}: expected a virtual context for observers.${observer}, found none.`
  const hint = "Add the table [events] to the profile, or createVirtualContext() to the plugins. Or leave out the observer."
  return new PromptStrataError("profile", message, { hint })
}
