import { PromptStrataError } from "../core/errors.ts"
import type { SessionKey } from "../core/keys.ts"
import { didYouMean } from "../core/suggest.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { Profile } from "../profile/profile.ts"
import { createInMemorySessionStore } from "../services/in-memory-session-store.ts"
import { createKeyedQueue } from "../services/keyed-queue.ts"
import type { Plugin } from "../services/plugin.ts"
import { createToolSet, type ToolSet } from "../tools/tool-set.ts"
import { agentExtensions } from "./agent-extensions.ts"
import type { AgentOptions, BackgroundWarning } from "./agent-options.ts"
import type { AgentParts } from "./agent-parts.ts"
import { baseStack } from "./base-stack.ts"
import { closePlugins } from "./close-plugins.ts"
import { defaultPorts } from "./default-ports.ts"
import { profileVersions } from "./profile-versions.ts"
import { Session } from "./session.ts"
import { sessionId } from "./session-id.ts"

/** A character, ready to talk in any number of sessions. */
export interface Agent {
  /** The session of a conversation; the same one for the same key. A string is a private conversation. */
  session(conversation: string | Omit<SessionKey, "agent">): Session
  /** Settles when no turn runs or waits and nothing runs in the background. */
  idle(): Promise<void>
  /**
   * Takes no more turns, waits for those that run and closes the plugins; throws what closing one threw, once all were asked. One
   * that takes longer than `limits.toolMs` is waited for no longer and counts as thrown.
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
  const shared = sharedParts(options, () => closed)
  const versions = profileVersions(options.profile, (profile) => ({ ...shared, ...profileParts(profile, options) }))
  const agent = versions.latest.profile.agent.id
  return {
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
    idle: () => idle(shared),
    async close() {
      const isFirst = !closed
      closed = true
      await idle(shared)
      if (isFirst)
        await closePlugins(versions.closable, { timers: shared.ports.timers, timeoutMs: versions.latest.profile.limits.toolMs })
    },
  }
}

type ProfileParts = Pick<AgentParts, "profile" | "dialect" | "tools" | "memory" | "hooks" | "plugins" | "stack">

/** What depends on the profile. */
function profileParts(profile: Profile, options: AgentOptions): ProfileParts {
  const { memory } = options
  const extensions = agentExtensions(profile, options)
  const tools = createToolSet(extensions.tools.map((tool) => hidePrestartOnly(tool, profile)))
  checkToolNames(profile, tools, extensions.plugins)
  return {
    profile,
    dialect: typeof profile.dialect === "string" ? shippedDialect(profile.dialect, profile.locale) : profile.dialect,
    tools,
    ...(memory && profile.memory.enabled ? { memory } : {}),
    hooks: extensions.hooks,
    plugins: extensions.plugins,
    stack: baseStack(profile, extensions.skills, options.injections),
  }
}

/** What stays as it is whatever the profile says. */
function sharedParts(options: AgentOptions, isClosed: () => boolean): Omit<AgentParts, keyof ProfileParts> {
  const { model } = options
  return {
    models: isModelList(model) ? model : [model],
    store: options.store ?? createInMemorySessionStore(),
    ...(options.confirm ? { confirm: options.confirm } : {}),
    onWarning: options.onWarning ?? warnOnConsole,
    background: createKeyedQueue(),
    queue: createKeyedQueue(),
    ports: { ...defaultPorts, ...options.ports },
    isClosed,
  }
}

/** Turns first: they are what starts work in the background. */
async function idle({ queue, background }: Pick<AgentParts, "queue" | "background">): Promise<void> {
  while (queue.size + background.size > 0) {
    await queue.idle()
    await background.idle()
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
