import { PromptStrataError } from "../core/errors.ts"
import type { SessionKey } from "../core/keys.ts"
import { didYouMean } from "../core/suggest.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { Profile } from "../profile/profile.ts"
import { createInMemorySessionStore } from "../services/in-memory-session-store.ts"
import { createKeyedQueue } from "../services/keyed-queue.ts"
import { createToolSet, type ToolSet } from "../tools/tool-set.ts"
import type { AgentOptions } from "./agent-options.ts"
import type { AgentParts } from "./agent-parts.ts"
import { baseStack } from "./base-stack.ts"
import { defaultPorts } from "./default-ports.ts"
import { Session, sessionId } from "./session.ts"

/** A character, ready to talk in any number of sessions. */
export interface Agent {
  /** The session of a conversation; the same one for the same key. A string is a private conversation. */
  session(conversation: string | Omit<SessionKey, "agent">): Session
  /** Settles when no turn runs or waits. */
  idle(): Promise<void>
  /** Takes no more turns and waits for those that run. */
  close(): Promise<void>
}

/**
 * Makes an agent. Mistakes are thrown here, not in the first turn: two tools of one name (`tool-collision`), an unknown
 * prestart tool (`profile`), an unknown dialect (`prompt-missing`).
 */
export function createAgent(options: AgentOptions): Agent {
  const { profile } = options
  const sessions = new Map<string, WeakRef<Session>>()
  const forget = new FinalizationRegistry<string>((id) => {
    if (sessions.get(id)?.deref() === undefined) sessions.delete(id)
  })
  let closed = false
  const parts = agentParts(options, () => closed)
  return {
    session(conversation) {
      const key: SessionKey = {
        agent: profile.agent.id,
        ...(typeof conversation === "string" ? { conversation, audience: "private" } : conversation),
      }
      const id = sessionId(key)
      const known = sessions.get(id)?.deref()
      if (known) return known
      const session = new Session(parts, key)
      sessions.set(id, new WeakRef(session))
      forget.register(session, id)
      return session
    },
    idle: () => parts.queue.idle(),
    async close() {
      closed = true
      await parts.queue.idle()
    },
  }
}

function agentParts(options: AgentOptions, isClosed: () => boolean): AgentParts {
  const { profile, model, memory } = options
  const tools = createToolSet([...profile.tools.builtin, ...(options.tools ?? [])].map((tool) => hidePrestartOnly(tool, profile)))
  checkToolNames(profile, tools)
  return {
    profile,
    dialect: typeof profile.dialect === "string" ? shippedDialect(profile.dialect, profile.locale) : profile.dialect,
    models: isModelList(model) ? model : [model],
    tools,
    store: options.store ?? createInMemorySessionStore(),
    ...(memory ? { memory } : {}),
    hooks: options.hooks ?? [],
    stack: baseStack(profile, options.injections),
    queue: createKeyedQueue(),
    ports: { ...defaultPorts, ...options.ports },
    isClosed,
  }
}

function isModelList(model: AgentOptions["model"]): model is readonly [LanguageModel, ...LanguageModel[]] {
  return Array.isArray(model)
}

function hidePrestartOnly(tool: ToolSet["tools"][number], { tools }: Profile): ToolSet["tools"][number] {
  return tools.prestartOnly.includes(tool.name) ? { ...tool, visibility: "prestart" } : tool
}

function checkToolNames(profile: Profile, tools: ToolSet): void {
  const known = tools.tools.map(({ name }) => name)
  const named = [...profile.prestart.map(({ tool }) => tool), ...profile.tools.prestartOnly]
  for (const name of named) {
    if (tools.get(name)) continue
    throw new PromptStrataError(
      "profile",
      `expected a registered tool, found ${JSON.stringify(name)} in profile "${profile.name}"; there are ${known.join(", ") || "none"}.${didYouMean(name, known)}`,
      { hint: "Enable the built-in in [tools] enabled, or pass the tool to createAgent." },
    )
  }
}
