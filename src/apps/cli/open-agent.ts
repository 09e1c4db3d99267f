import { join, resolve } from "node:path"
import { connectMcp, type McpConnection } from "../../adapters/mcp/connect-mcp.ts"
import { tiktokenCounter } from "../../adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { type Clock, hostPorts } from "../../core/ports.ts"
import { type Agent, createAgent } from "../../loop/agent/agent.ts"
import type { AgentOptions } from "../../loop/agent/agent-options.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Store } from "../../memory/services/store/store.ts"
import { builtinToolNames } from "../../node/builtin-tools.ts"
import { fileNames } from "../../node/find-text.ts"
import { loadProfile } from "../../node/profile/load-profile.ts"
import { type ProfileWatch, watchProfile } from "../../node/profile/watch-profile.ts"
import { displayPath, shippedProfilesFolder } from "../../node/shipped-files.ts"
import type { Profile, ProfileSource } from "../../profile/profile.ts"
import { terminalText } from "../../prompt/encode/terminal-text.ts"
import { chooseOwnModels } from "./choose-model.ts"
import { type CliContext, notesOn } from "./context.ts"
import { type CommonOptions, defaultModel } from "./options.ts"
import { chatWords } from "./words/command-words.ts"

/** The first conversation of `chat`. */
export const terminalConversation = "terminal"

/** The user's id in all conversations of `chat`. */
export const terminalUser = "user"

/** The prompt with which a turn of the profile begins, on a model that can call tools itself or cannot. */
export function firstPrompt({ loop: { mode } }: Profile, { tools }: { readonly tools: boolean }): string {
  if (mode === "chat") return "chat"
  return mode !== "json" && tools ? "native" : "planner"
}

/** The name of the conversations of `chat`: `terminal`, then `terminal-2` and so on. */
export function conversationName(number: number): string {
  return number === 1 ? terminalConversation : `${terminalConversation}-${number}`
}

/** The number of the newest conversation of `chat` that a store has; 1 if it has none. */
export async function latestConversation(store: Store | undefined, agent: string): Promise<number> {
  const has = (number: number) => store?.load({ agent, conversation: conversationName(number), audience: "private" }, { last: 0 })
  let number = 1
  while ((await has(number + 1)) !== undefined) number++
  return number
}

/** Options that say with what a conversation begins, and who the user is in it. */
export interface CharacterOptions {
  readonly greeting?: number
  readonly user?: string
}

/**
 * Loads the chosen profile: the one that is named, else the only one in `./profiles`, else `shipped`. Its language is `--locale`,
 * else its own, else the environment's. What was chosen or guessed is said. Throws `usage` if `./profiles` has several.
 */
export async function openProfile(options: LoadingOptions, context: CliContext, shipped = "layered"): Promise<Profile> {
  const { profile = projectProfile() } = options
  const loading = loadingOf(options, context)
  const loaded = await loadProfile(profile ?? shipped, loading)
  if (options.profile === undefined && profile !== undefined) loading.onWarning(`Profile: ${displayPath(profile)}`)
  return loaded
}

type LoadingOptions = CommonOptions & CharacterOptions & { readonly clock?: Clock }

/** The options with which a profile is loaded. */
function loadingOf({ locale, dataDir, greeting, user: userName, clock = hostPorts.clock }: LoadingOptions, context: CliContext) {
  return { locale, greeting, userName, clock, env: context.io.env, dataFolder: dataDir, onWarning: notesOn(context) }
}

/** {@link openProfile}, of which new sessions and previews take the files as they are then (L13). A broken edit is told. */
export async function openWatchedProfile(options: CommonOptions & CharacterOptions, context: CliContext): Promise<ProfileWatch> {
  const { profile = projectProfile() } = options
  const loading = loadingOf(options, context)
  if (options.profile === undefined && profile !== undefined) loading.onWarning(`Profile: ${displayPath(profile)}`)
  const onProblem = ({ message }: PromptStrataError): void => context.screen.complain(context.translate(message))
  return watchProfile(profile ?? "layered", { ...loading, onProblem })
}

/** True if nobody named a profile, and the store has a chat with the earlier default, `fay`, and none with this one. */
export async function hasEarlierDefault(store: Store, { agent }: Profile, { profile }: CommonOptions): Promise<boolean> {
  const has = async (agent: string) =>
    (await store.load({ agent, conversation: terminalConversation, audience: "private" }, { last: 0 })) !== undefined
  return profile === undefined && agent.id !== "fay" && !(await has(agent.id)) && (await has("fay"))
}

/** The path of the only profile in `./profiles`; undefined if there is none, and in a clone of this library. */
function projectProfile(): string | undefined {
  const folder = resolve("profiles")
  const files = folder === shippedProfilesFolder ? [] : fileNames(folder).filter((file) => file.endsWith(".toml"))
  if (files.length <= 1) return files[0] && join(folder, files[0])
  const names = files.map((file) => file.slice(0, -".toml".length)).sort()
  throw new PromptStrataError(
    "usage",
    `expected the name of a profile, as ./profiles has ${names.length}: ${names.join(", ")}.`,
    {
      hint: "chat, serve, bot, inspect, render, events and worker take it as their argument, other commands as --profile NAME.",
    },
  )
}

/** The options of {@link openAgent}. */
interface OpenAgentOptions extends Omit<AgentOptions, "model" | "plugins" | "ports"> {
  readonly profile: Profile
  /** Default: {@link modelsFor} the profile. */
  readonly model?: AgentOptions["model"]
  readonly source?: ProfileSource | undefined
  /** The profile's servers, if they run already. */
  readonly servers?: Plugin | undefined
}

/**
 * Creates an agent, or what `create` makes of its options, with the profile's MCP servers. `close` of the agent also ends the servers.
 * Warnings are notes by default.
 */
export async function openAgent<T = Agent>(
  { source, servers, ...agent }: OpenAgentOptions,
  options: Pick<CommonOptions, "dataDir">,
  context: CliContext,
  create = createAgent as (options: AgentOptions) => T,
): Promise<Awaited<T>> {
  const ports = await portsFor(agent.profile.model, context)
  const own = agent.model ? { ...agent, model: agent.model } : { ...agent, ...modelsFor(agent.profile, context) }
  const onWarning = ({ message }: { readonly message: string }): void => notesOn(context)(message)
  const mcp = servers ?? (await openMcp(agent.profile, options, context))
  try {
    return await create({ onWarning, ...own, profile: source ?? agent.profile, plugins: mcp === undefined ? [] : [mcp], ports })
  } catch (thrown) {
    await mcp?.close?.()
    throw thrown
  }
}

/** The model of a profile and those that it names for other work. A note says if it is the demo. */
export function modelsFor(profile: Profile, context: CliContext) {
  const { chooseModel, io } = context
  const { model, demo } = chooseModel(profile, io.env)
  if (demo) notesOn(context)(chatWords(profile.locale).demo)
  return { model, models: chooseOwnModels(profile, io.env, chooseModel) }
}

/** The ports of an agent. Tokens are counted as the chosen model does, for the demo as {@link defaultModel} does. */
export async function portsFor({ id }: Pick<Profile["model"], "id">, { io, ports }: CliContext) {
  const named = io.env.PROMPTSTRATA_MODEL?.trim()
  const model = (named === "demo" ? undefined : named) || id || defaultModel
  return { counter: await tiktokenCounter({ model }), ...ports }
}

/** Connects the MCP servers of a profile, with approvals from the data folder. Undefined if the profile has no servers. */
export async function openMcp(
  profile: Profile,
  { dataDir }: Pick<CommonOptions, "dataDir">,
  { io, screen, translate }: CliContext,
): Promise<McpConnection | undefined> {
  const { servers } = profile.mcp
  if (Object.keys(servers).length === 0) return undefined
  return connectMcp(servers, {
    locale: profile.locale,
    env: io.env,
    dataFolder: dataDir,
    reserved: builtinToolNames,
    elicit: "confirm",
    onWarning: ({ server, message }) =>
      screen.note(screen.paint("yellow", `! ${terminalText(`MCP ${server}: ${translate(message)}`)}`)),
  })
}
