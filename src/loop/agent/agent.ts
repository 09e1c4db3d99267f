import type { StandardSchemaV1 } from "@standard-schema/spec"
import { checkOptions, checkType } from "../../core/check-options.ts"
import type { ServiceKey, SessionKey } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { late } from "../../core/late.ts"
import type { LanguageModel } from "../../core/model/language-model.ts"
import { checkPrices } from "../../core/model/prices.ts"
import { hostPorts, type Ports, roughCounter } from "../../core/ports.ts"
import { didYouMean } from "../../core/suggest.ts"
import { defined } from "../../core/value.ts"
import type { AskModel } from "../../memory/services/background/background-job.ts"
import { createKeyedQueue } from "../../memory/services/keyed-queue.ts"
import type { Observer } from "../../memory/services/observer.ts"
import { createInMemoryStore } from "../../memory/services/store/in-memory/in-memory-store.ts"
import { sessionRowId } from "../../memory/services/store/rows/row-tables.ts"
import type { Store } from "../../memory/services/store/store.ts"
import type { UserProfileService } from "../../memory/services/user-profile.ts"
import type { Profile } from "../../profile/profile.ts"
import { withoutContext } from "../../prompt/dialect/dialect.ts"
import { shippedDialect } from "../../prompt/dialect/shipped.ts"
import { createToolSet, isInGroups, type ToolSet } from "../../prompt/tools/tool-set.ts"
import type { AgentContext, BackgroundWarning, ProfileParts, SharedParts } from "../turn/turn-context.ts"
import { agentExtensions } from "./agent-extensions.ts"
import { type AgentOptions, checkAgentOptions, checkedServices, checkedStore } from "./agent-options.ts"
import { agentWork } from "./agent-work.ts"
import type { AskModelOptions } from "./ask-model.ts"
import { baseStack } from "./base-stack.ts"
import { loadAside } from "./borders/load-aside.ts"
import { loadWork } from "./borders/load-session-work.ts"
import { checkProcessNames, type ToolProcess, toolProcesses } from "./child/tool-processes.ts"
import type { ObserverFeeds } from "./observers/observers.ts"
import { profileObservers } from "./observers/profile-observers.ts"
import { watch } from "./observers/watch.ts"
import { profileVersions } from "./profile-versions.ts"
import { type PublishedAgent, publishAgent } from "./published-agents.ts"
import { remembering } from "./remembering.ts"
import { agentWakes } from "./schedule/agent-wakes.ts"
import { Session } from "./session.ts"
import type { ChatMessage } from "./stateless/past-messages.ts"
import { type RespondOptions, respond } from "./stateless/respond.ts"
import type { StructuredTurn, Turn } from "./turn.ts"

/** A character, ready to talk in any number of sessions. */
export interface Agent {
  /** The session of a conversation; the same one for the same key. A string is a private conversation. Throws `usage` for an unclear key. */
  session(conversation: string | Omit<SessionKey, "agent">): Session
  /**
   * Answers the last message of a conversation that the caller keeps: a turn like any other, of which nothing is stored and no job
   * follows. Memories are recalled for the person in `from`, and not without one. Tools act as ever. Throws `usage` for messages that
   * do not end with the user's.
   */
  respond<S extends StandardSchemaV1>(
    messages: readonly ChatMessage[],
    options: RespondOptions & { readonly output: S },
  ): StructuredTurn<S>
  respond(messages: readonly ChatMessage[], options?: RespondOptions): Turn
  /**
   * Judges words again that no answer of a model could judge: of a user, of a conversation or of all, those that stand as failed in
   * receipts or wait for a next batch. Resolves to the number of turns; each gets a job. Rejects with `usage` without a whole store.
   */
  retryMemories(scope?: { readonly user: string } | { readonly conversation: string }): Promise<number>
  /** Settles when no turn runs or waits and nothing runs in the background. A failed job that waits for its next attempt is not waited for; `close` does that where the job would be lost with the process. */
  idle(): Promise<void>
  /**
   * Takes no more turns, waits for those that run and, at most half a minute longer, for their jobs in this process. Jobs that are not
   * done then stay in the store, and `onWarning` gets an error with code `closed`, also if the store was closed before. Then closes the
   * plugins, each within `limits.toolMs`. Throws what went wrong with them, once all were closed. When `signal` aborts, the turns end
   * with `aborted`, and jobs are not waited for.
   */
  close(options?: { readonly signal?: AbortSignal }): Promise<void>
}

/**
 * Makes an agent. Mistakes are thrown here, not in the first turn: an unknown option (`usage`), two tools of one name
 * (`tool-collision`), an unknown prestart tool (`profile`), an unknown dialect (`prompt-missing`).
 */
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions(options)
  const [sessions, watching, given] = [new SessionCache(), [] as ObserverFeeds[], checkedStore(options.store)]
  const closing = new AbortController()
  const ports = { ...hostPorts, counter: roughCounter, ...defined(options.ports ?? {}) }
  const store = given ?? createInMemoryStore({ ports })
  const { onWake, runJobs = true } = options
  const [latest, session] = [() => versions.latest, (key: Omit<SessionKey, "agent">) => made.session(key)]
  const waking = agentWakes({ records: store.wakes, ports, onWake, latest, session, warn: (told) => shared.onWarning(told) })
  const shared = sharedContext(options, { ports, store, wakes: waking.wakes, closed: closing.signal })
  const versions = profileVersions(options.profile, (profile) => {
    const { observers, userProfile, ...own } = profileContext(profile, { options, shared, given })
    const context = { ...shared, ...own, hooks: [...own.hooks, ...waking.hooks], jobs: [...own.jobs, ...waking.jobs] }
    const feeds = watch(context, observers, { onWake, session })
    if (feeds) watching.push(feeds)
    for (const { documents } of own.plugins) documents?.attach({ ...context, userProfile })
    return { ...context, tellObservers: feeds?.tell }
  })
  const { agent: named, processes, observers } = latest().profile
  checkOptions("models of createAgent", options.models ?? {}, { ...processes, ...observers, memory: true, fallback: true })
  const work = agentWork(shared, { agent: named.id, watching, latest, runJobs, delivers: onWake !== undefined })
  const made: Agent = {
    session(conversation) {
      const key: SessionKey = { agent: named.id, ...namedSession(conversation) }
      return sessions.get(key) ?? sessions.add(new Session(versions.current(), latest(), key, options.shouldAnswer), inside)
    },
    respond: (messages: readonly ChatMessage[], options: RespondOptions = {}): Turn<never> =>
      respond(versions.current(), latest(), { messages, options }) as Turn<never>,
    ...{ idle: work.idle, retryMemories: retrying(given, named.id, ports) },
    async close(closeOptions = {}) {
      checkOptions("close", closeOptions, { signal: true })
      const isFirst = !closing.signal.aborted
      closing.abort()
      await work.close(closeOptions.signal)
      if (isFirst) await endPlugins(versions, ports)
    },
  }
  const inside = { ...shared, store, current: () => versions.current() }
  return publishAgent(made, inside)
}

function retrying(given: Store | undefined, agent: string, { clock }: Ports): Agent["retryMemories"] {
  return async (scope) => {
    checkOptions("retryMemories", scope ?? {}, { user: true, conversation: true })
    return (await loadWork()).retryMemories(given, { agent, ...scope }, clock.nowMs())
  }
}

/** Closes the plugins of all versions. */
async function endPlugins({ closable, latest }: ReturnType<typeof profileVersions>, { timers }: Ports): Promise<void> {
  if (closable.length === 0) return
  const { closePlugins } = await loadAside()
  await closePlugins(closable, { timers, timeoutMs: latest.profile.limits.toolMs })
}

/** The conversation that a caller names. An unclear audience is refused, because it decides what a prompt may show. */
function namedSession(named: string | Omit<SessionKey, "agent">): Omit<SessionKey, "agent"> {
  if (typeof named === "string") return { conversation: named, audience: "private" }
  if (typeof named !== "object" || named === null) checkType("the name of a conversation", named, "string")
  checkOptions("session", named, { conversation: true, audience: true })
  const { conversation, audience } = named
  checkType("the name of a conversation", conversation, "string")
  if (audience !== "private" && audience !== "group") {
    const found = typeof audience === "string" ? JSON.stringify(audience) : typeof audience
    throw new PromptStrataError("usage", `Expected audience private or group, found ${found}.`)
  }
  return { conversation, audience }
}

/** The sessions that the program still refers to. Others are made again from their store. */
class SessionCache {
  readonly #sessions = new Map<string, WeakRef<Session>>()
  readonly #collected = new FinalizationRegistry<string>((id) => {
    if (this.#sessions.get(id)?.deref() === undefined) this.#sessions.delete(id)
  })

  get(key: SessionKey): Session | undefined {
    return this.#sessions.get(sessionRowId(key))?.deref()
  }

  add(session: Session, agent: PublishedAgent): Session {
    const id = sessionRowId(session.key)
    this.#sessions.set(id, new WeakRef(session))
    this.#collected.register(session, id)
    return publishAgent(session, agent)
  }
}

interface ProfileShared {
  readonly shared: SharedParts
  /** The store that the agent was given. */
  readonly given: Store | undefined
}

/** The part of an agent that depends on its profile. */
interface ProfileContext extends ProfileParts {
  readonly observers: readonly Observer[]
  /** Undefined if nothing is kept about users. */
  readonly userProfile: UserProfileService | undefined
}

function profileContext(
  profile: Profile,
  { options, shared, given }: { readonly options: AgentOptions } & ProfileShared,
): ProfileContext {
  const chosenDialect = typeof profile.dialect === "string" ? shippedDialect(profile.dialect, profile.locale) : profile.dialect
  const dialect = withoutContext(chosenDialect, profile.context.off)
  const { models, ports, receipts } = shared
  const spending = spendingOf(profile, shared)
  const askWith = (asked: AgentContext["models"]) => askLater({ models: asked, dialect, ports, profile, spending })
  const declared = profileObservers(profile, {
    ...{ options, dialect, ports, putReceipt: (receipt) => receipts.put(receipt) },
    askWith: (model) => askWith(model ? [model] : models),
  })
  const extensions = agentExtensions(profile, { ...options, observers: [...declared, ...(options.observers ?? [])] })
  const chosen = extensions.tools.filter((tool) => isInGroups(tool, profile.tools.groups))
  const shown = chosen.map((tool) => hidePrestartOnly(tool, profile))
  const tools = createToolSet(shown, profile.tools.builtin)
  const processes = toolProcesses(profile, {
    models: options.models ?? {},
    make: (own, model) => processContext(own, { shared: model ? { ...shared, models: [model] } : shared, given }),
  })
  checkProcessNames(processes, tools)
  checkToolNames(profile, { tools, processes, plugins: extensions.plugins })
  const ask = askWith(options.models?.memory ? [options.models.memory, ...models] : models)
  const onWarning = (message: string, key: ServiceKey): void => shared.onWarning({ key, turnId: "", message })
  const services = checkedServices(options.services ?? {})
  const own = { profile, services, plugins: extensions.plugins, store: given }
  const remembered = remembering({ ...own, receipts, ask, ports, onWarning })
  return {
    ...{ profile, dialect, tools, ask, spending },
    delegate: processes.length > 0 ? async (own) => (await loadWork()).withProcesses(own, processes) : undefined,
    memory: profile.memory.enabled ? (options.memory ?? remembered.recall) : undefined,
    userProfile: remembered.userProfile,
    hooks: [...remembered.hooks, ...extensions.hooks],
    jobs: [...remembered.jobs, ...extensions.jobs],
    plugins: extensions.plugins,
    observers: extensions.observers,
    stack: baseStack(profile, { dialect, ...extensions, injections: options.injections ?? [] }),
  }
}

function spendingOf(profile: Profile, shared: SharedParts): ProfileParts["spending"] {
  const { turnTokens, turnUsd, dailyTokens, dailyUsd } = profile.limits
  if ((turnTokens ?? turnUsd ?? dailyTokens ?? dailyUsd) === undefined) return undefined
  checkPrices(profile.prices, () => "`prices` of the profile")
  return late(async () => new (await loadAside()).SpendingLimits(profile, shared))
}

/** Asks models in the background. Only work behind a turn does, and it needs a part of the loop, which is loaded then. */
function askLater(asked: AskModelOptions): AskModel {
  return async (...question) => (await loadAside()).createAskModel(asked)(...question)
}

/** The context of a process: an agent without extensions, in the place of the one that it works for. */
function processContext(profile: Profile, { shared, given }: ProfileShared): AgentContext {
  const options = { profile, model: shared.models }
  const { observers: _none, userProfile: _same, ...context } = profileContext(profile, { options, shared, given })
  return { ...shared, ...context, tellObservers: undefined }
}

/** The part of an agent that does not depend on its profile. */
function sharedContext(
  { model, models, services, confirm, onWarning }: AgentOptions,
  { ports, store, ...own }: Pick<SharedParts, "ports" | "wakes" | "closed"> & { readonly store: Store },
): SharedParts {
  return {
    models: isModelList(model) ? model : [model],
    fallback: models?.fallback,
    calling: new Map(),
    ...{ store, runner: store.jobs, receipts: store.receipts, blobs: store.blobs },
    describe: services?.describe,
    confirm: confirm === "later" ? undefined : confirm,
    asking: { later: confirm === "later" },
    inspection: {},
    schemaless: new Set(),
    onWarning: onWarning ?? warnOnConsole,
    background: createKeyedQueue(),
    running: new Set(),
    keptAlive: { pauses: new Map(), told: new Set() },
    turns: createKeyedQueue(16),
    ports,
    ...own,
  }
}

/** The default of `onWarning`. */
function warnOnConsole({ key, turnId, message }: BackgroundWarning): void {
  console.warn(`promptstrata: ${message} (conversation ${JSON.stringify(key.conversation)}, ${turnId})`)
}

function isModelList(model: AgentOptions["model"]): model is readonly [LanguageModel, ...LanguageModel[]] {
  return Array.isArray(model)
}

function hidePrestartOnly(tool: ToolSet["tools"][number], { tools }: Profile): ToolSet["tools"][number] {
  return tools.prestartOnly.includes(tool.name) ? { ...tool, visibility: "prestart" } : tool
}

function checkToolNames(
  profile: Profile,
  { tools, processes, plugins }: Pick<ProfileContext, "tools" | "plugins"> & { readonly processes: readonly ToolProcess[] },
): void {
  const known = tools.tools.map(({ name }) => name)
  const taken = processes.flatMap(({ settings }) => settings.tools ?? [])
  const named = [...profile.prestart.map(({ tool }) => tool), ...profile.tools.prestartOnly, ...taken]
  for (const name of named) {
    if (tools.get(name) || plugins.some((plugin) => plugin.mayAddTool?.(name) === true)) continue
    const message = `expected a registered tool, found ${JSON.stringify(name)} in profile "${profile.name}"; there are ${known.join(", ") || "none"}.${didYouMean(name, known)}`
    const hint = "Enable the built-in in [tools] enabled, or pass the tool to createAgent."
    throw new PromptStrataError("profile", message, { hint })
  }
}
