import { type Agent, createAgent } from "../agent/agent.ts"
import type { AgentOptions } from "../agent/agent-options.ts"
import type { Ports } from "../core/ports.ts"
import { terminalText } from "../encode/terminal-text.ts"
import { connectMcp, type McpConnection } from "../mcp/connect-mcp.ts"
import { builtinToolNames } from "../node/builtin-tools.ts"
import { loadProfile } from "../node/profile/load-profile.ts"
import type { Profile } from "../profile/profile.ts"
import { tiktokenCounter } from "../tokenizers/tiktoken/tiktoken-counter.ts"
import { defaultModel } from "./choose-model.ts"
import type { CliContext } from "./context.ts"
import type { CommonOptions } from "./options.ts"

/** The conversation of `chat` and `render`. */
export const terminalConversation = "terminal"

/** Loads the chosen profile. Its language is `--locale`, else its own, else the environment's. */
export async function openProfile({ profile, locale, dataDir }: CommonOptions, { io }: CliContext): Promise<Profile> {
  return loadProfile(profile, { locale, env: io.env, dataFolder: dataDir })
}

/** Creates an agent with the profile's MCP servers. `close` of the agent also ends the servers. */
export async function openAgent(
  agent: Omit<AgentOptions, "plugins" | "ports"> & { readonly profile: Profile },
  options: Pick<CommonOptions, "dataDir">,
  context: CliContext,
): Promise<Agent> {
  const ports = await portsFor(agent.profile, context)
  const mcp = await openMcp(agent.profile, options, context)
  try {
    return createAgent({ ...agent, plugins: mcp === undefined ? [] : [mcp], ports })
  } catch (thrown) {
    await mcp?.close()
    throw thrown
  }
}

/** The ports of an agent. Tokens are counted as the chosen model does, for the demo as {@link defaultModel} does. */
export async function portsFor(profile: Profile, { io, ports }: CliContext): Promise<Partial<Ports>> {
  const named = io.env.PROMPTSTRATA_MODEL?.trim()
  const model = (named === "demo" ? undefined : named) || profile.model.id || defaultModel
  return { counter: await tiktokenCounter({ model }), ...ports }
}

/** Connects the MCP servers of a profile, with approvals from the data folder. Undefined if the profile has no servers. */
export async function openMcp(
  profile: Profile,
  { dataDir }: Pick<CommonOptions, "dataDir">,
  { io, screen }: CliContext,
): Promise<McpConnection | undefined> {
  const { servers } = profile.mcp
  if (Object.keys(servers).length === 0) return undefined
  return connectMcp(servers, {
    locale: profile.locale,
    env: io.env,
    dataFolder: dataDir,
    reserved: builtinToolNames,
    onWarning: ({ server, message }) => screen.note(screen.paint("yellow", `! ${terminalText(`MCP ${server}: ${message}`)}`)),
  })
}
