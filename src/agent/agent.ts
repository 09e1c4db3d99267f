import { PromptStrataError } from "../core/errors.ts"
import type { ServiceKey, SessionKey } from "../core/keys.ts"
import type { Ports } from "../core/ports.ts"
import { didYouMean } from "../core/suggest.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { Profile } from "../profile/profile.ts"
import { createKeyedQueue } from "../services/keyed-queue.ts"
import type { Plugin } from "../services/plugin.ts"
import { createToolSet, isInGroups, type ToolSet } from "../tools/tool-set.ts"
import { createAskModel } from "../turn/ask-model.ts"
import { agentExtensions } from "./agent-extensions.ts"
import type { AgentOptions, BackgroundWarning } from "./agent-options.ts"
import type { AgentParts } from "./agent-parts.ts"
import { remembering } from "./agent-services.ts"
import { type AgentStore, agentStore } from "./agent-store.ts"
import { agentWork } from "./agent-work.ts"
import { baseStack } from "./base-stack.ts"
import { closePlugins } from "./close-plugins.ts"
import { defaultPorts } from "./default-ports.ts"
import type { Observers } from "./observers/observers.ts"
import { watch } from "./observers/watch.ts"
import { profileVersions } from "./profile-versions.ts"
import { publishParts } from "./published-parts.ts"
import { Session } from "./session.ts"
import { sessionId } from "./session-id.ts"

/** A character, ready to talk in any number of sessions. */
export interface Agent {
  /** The session of a conversation; the same one for the same key. A string is a private conversation. */
  session(conversation: string | Omit<SessionKey, "agent">): Session
  /** Settles when no turn runs or waits and nothing runs in the background. */
  idle(): Promise<void>
  /**
   * Takes no more turns, waits for those that run and for what follows them in this process, at most half a minute longer than the
   * turns, and closes the plugins; throws what closing one threw, once all were asked. One that takes longer than `limits.toolMs` is
   * waited for no longer and counts as thrown. Jobs that are not done then stay in the store, and `onWarning` is told, with code
   * `closed`; also where the store was closed before.
   */
  close(): Promise<void>
}

/**
 * Makes an agent. Mistakes are thrown here, not in the first turn: two tools of one name (`tool-collision`), an unknown
 * prestart tool (`profile`), an unknown dialect (`prompt-missing`).
 */
export function createAgent(options: AgentOptions): Agent {
  const sessions = new Map<string, WeakRef<Session>>()
  const forget = new FinalizationRegistry<string>((id) => {
    if (sessions.get(id)?.deref() === undefined) sessions.delete(id)
  })
  let closed = false
  const ports = { ...defaultPorts, ...options.ports }
  const kept = agentStore(options.store, ports)
  const shared = sharedParts(options, { ports, kept, isClosed: () => closed })
  const watching: Observers[] = []
  const versions = profileVersions(options.profile, (profile) => {
    const parts = { ...shared, ...profileParts(profile, { options, shared, kept }) }
    const observers = watch(parts, { options, session: (key) => made.session(key) })
    if (observers) watching.push(observers)
    return { ...parts, ...(observers ? { observers } : {}) }
  })
  const agent = versions.latest.profile.agent.id
  const work = agentWork(shared, {
    agent,
    watching,
    latest: () => versions.latest,
    runJobs: options.runJobs ?? true,
  })
  const made: Agent = {
    session(conversation) {
      const key: SessionKey = {
        agent,
        ...(typeof conversation === "string" ? { conversation, audience: "private" } : conversation),
      }
      const id = sessionId(key)
      const known = sessions.get(id)?.deref()
      if (known) return known
      const session = new Session(versions.current(), versions.latest, key)
      sessions.set(id, new WeakRef(session))
      forget.register(session, id)
      return session
    },
    idle: () => work.idle(),
    async close() {
      const isFirst = !closed
      closed = true
      await work.close()
      if (isFirst)
        await closePlugins(versions.closable, { timers: shared.ports.timers, timeoutMs: versions.latest.profile.limits.toolMs })
    },
  }
  publishParts(made, { current: () => versions.current(), isClosed: () => closed })
  return made
}

type ProfileParts = Pick<
  AgentParts,
  "profile" | "dialect" | "tools" | "memory" | "hooks" | "plugins" | "stack" | "watchers" | "jobs" | "ask"
>

type SharedParts = Omit<AgentParts, keyof ProfileParts | "observers">

/** What depends on the profile. */
function profileParts(
  profile: Profile,
  { options, shared, kept }: { readonly options: AgentOptions; readonly shared: SharedParts; readonly kept: AgentStore },
): ProfileParts {
  const extensions = agentExtensions(profile, options)
  const chosen = extensions.tools.filter((tool) => isInGroups(tool, profile.tools.groups))
  const tools = createToolSet(chosen.map((tool) => hidePrestartOnly(tool, profile)))
  const dialect = typeof profile.dialect === "string" ? shippedDialect(profile.dialect, profile.locale) : profile.dialect
  checkToolNames(profile, tools, extensions.plugins)
  const { models, ports, receipts } = shared
  const ask = createAskModel({ models, dialect, limits: profile.limits, ports })
  const { services = {} } = options
  const warn = (message: string, key: ServiceKey): void => shared.onWarning({ key, turnId: "", message })
  const remembered = remembering({ profile, dialect, services, store: kept.given, receipts, ask, ports, onWarning: warn })
  const recall = options.memory ?? remembered.recall
  return {
    profile,
    dialect,
    tools,
    ask,
    ...(recall && profile.memory.enabled ? { memory: recall } : {}),
    hooks: [...remembered.hooks, ...extensions.hooks],
    jobs: [...remembered.jobs, ...extensions.jobs],
    plugins: extensions.plugins,
    watchers: extensions.observers,
    stack: baseStack(profile, { dialect, ...extensions, injections: options.injections ?? [] }),
  }
}

/** What stays as it is whatever the profile says. */
function sharedParts(
  options: AgentOptions,
  { ports, kept, isClosed }: { readonly ports: Ports; readonly kept: AgentStore; readonly isClosed: () => boolean },
): SharedParts {
  const { model } = options
  return {
    models: isModelList(model) ? model : [model],
    store: kept.sessions,
    runner: kept.jobs,
    receipts: kept.receipts,
    ...(options.confirm ? { confirm: options.confirm } : {}),
    onWarning: options.onWarning ?? warnOnConsole,
    background: createKeyedQueue(),
    queue: createKeyedQueue(),
    ports,
    isClosed,
  }
}

/** Nothing that goes wrong goes unseen; whoever wants it elsewhere passes `onWarning`. */
function warnOnConsole({ key, turnId, message }: BackgroundWarning): void {
  console.warn(`promptstrata: ${message} (conversation ${JSON.stringify(key.conversation)}, ${turnId})`)
}

function isModelList(model: AgentOptions["model"]): model is readonly [LanguageModel, ...LanguageModel[]] {
  return Array.isArray(model)
}

function hidePrestartOnly(tool: ToolSet["tools"][number], { tools }: Profile): ToolSet["tools"][number] {
  return tools.prestartOnly.includes(tool.name) ? { ...tool, visibility: "prestart" } : tool
}

function checkToolNames(profile: Profile, tools: ToolSet, plugins: readonly Plugin[]): void {
  const known = tools.tools.map(({ name }) => name)
  const named = [...profile.prestart.map(({ tool }) => tool), ...profile.tools.prestartOnly]
  for (const name of named) {
    if (tools.get(name) || plugins.some((plugin) => plugin.mayAdd?.(name) === true)) continue
    throw new PromptStrataError(
      "profile",
      `expected a registered tool, found ${JSON.stringify(name)} in profile "${profile.name}"; there are ${known.join(", ") || "none"}.${didYouMean(name, known)}`,
      { hint: "Enable the built-in in [tools] enabled, or pass the tool to createAgent." },
    )
  }
}
