import { checkMemberTypes, checkOptions, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { TurnHook } from "../../memory/services/turn-hook.ts"
import type { McpServerSettings } from "../../profile/profile.ts"
import type { Skill } from "../../prompt/layers/skills.ts"
import { toolParameters } from "../../prompt/tools/print-parameters.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import { printParametersBy } from "../../prompt/tools/tool-entry.ts"
import { ApprovalGate, inMemoryApprovals, settingsKey, type ToolState } from "./approvals.ts"
import { keptApprovals, type McpOptions, type ResolvedOptions, resolveOptions } from "./options.ts"
import {
  getPrompt,
  listPrompts,
  listResources,
  type McpContent,
  type McpPrompt,
  type McpResource,
  readResource,
  serverSkills,
  withReadTimeout,
} from "./resources.ts"
import { McpServer } from "./server.ts"
import { checkServers, destinationOf } from "./server-settings.ts"
import { ServerTools } from "./server-tools.ts"
import { safeLine, unthrowing } from "./warnings.ts"

/** The state of a server, for people. Its texts are the server's and untrusted. */
export interface McpServerStatus {
  readonly name: string
  /** `waiting`: the next attempt to start comes later. `failed`: too many attempts failed, and the next one comes with a turn. `unreviewed`: a person has to allow it first. */
  readonly state: "starting" | "ready" | "waiting" | "failed" | "closed" | "unreviewed"
  /** The number of times it was connected. */
  readonly connected: number
  readonly pid?: number | undefined
  readonly problem?: string | undefined
  /** The end of its program's standard error. */
  readonly stderr: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly verdict: ToolState }[]
}

/** A tool that cannot be used until it is approved. */
export interface McpUnapprovedTool {
  /** `server.tool`, or the name of a server that has no tools (only resources and prompts) or that was not started (L24). */
  readonly tool: string
  /** `changed`: another definition, or another program or address of its server, was approved. */
  readonly reason: Exclude<ToolState, "approved">
  readonly description: string
  readonly inputSchema: Tool["inputSchema"]
  /** A hash of the definition shown here and of its server's program or address. Approving the tool approves these. */
  readonly fingerprint: string
}

/** Connected servers as a plugin with their tools, resources and prompts. `close` ends every server. */
export interface McpConnection extends Plugin {
  /** The tools at the time of connecting. The plugin's hook gives each turn the current ones. */
  readonly tools: readonly Tool[]
  /** The resources and prompts that the settings name under `skills`. */
  readonly skills: readonly Skill[]
  servers(): readonly McpServerStatus[]
  /** The tools of the next turn. */
  currentTools(): readonly Tool[]
  waiting(): readonly McpUnapprovedTool[]
  /** Approves what `waiting` returned. Tools are available from the next turn on; a server that was not started is started, and its tools wait. */
  approve(tools: readonly McpUnapprovedTool[]): Promise<void>
  /** Lists what all running servers offer. A server whose list cannot be read is a warning. */
  resources(): Promise<readonly McpResource[]>
  prompts(): Promise<readonly McpPrompt[]>
  /** Throws `mcp` when there is no such server, and an error when the server refuses. */
  readResource(server: string, uri: string): Promise<McpContent>
  getPrompt(server: string, name: string, args?: Readonly<Record<string, string>>): Promise<McpContent>
  close(): Promise<void>
}

/**
 * Starts all servers at once and resolves when each is ready or has failed. Pass the result to `createAgent` as a plugin. A
 * server that does not start is a warning and is tried again; the others can be used (T25). Throws `mcp` for settings that
 * cannot be used and approvals that cannot be read, and `missing-dependency` without `@modelcontextprotocol/client`.
 */
export async function connectMcp(
  servers: Readonly<Record<string, McpServerSettings>>,
  options: McpOptions = {},
): Promise<McpConnection> {
  checkType("the servers of connectMcp", servers, "object")
  checkOptions(
    "connectMcp",
    options,
    "locale env store dataFolder approvals approve reserved onWarning onChange elicit sample ports prompts library",
  )
  checkMemberTypes(
    "options of connectMcp",
    options,
    "locale:string? env:object? reserved:list? onWarning:function? onChange:function?",
  )
  const { elicit = "confirm" } = options
  if (elicit !== "confirm") checkType('`elicit` of connectMcp, if it is not "confirm"', elicit, "function")
  if (options.approvals !== undefined && typeof options.approvals !== "string")
    checkMemberTypes("`approvals` of connectMcp", options.approvals, "load:function save:function")
  checkServers(servers, options.reserved)
  const resolved = resolveOptions(options)
  const { warn } = resolved
  const warnOfApprovals = (message: string): void => warn({ server: "*", kind: "approval", message })
  const kept = keptApprovals(options)
  const gate = new ApprovalGate(kept ?? inMemoryApprovals(), (problem) => warnOfApprovals(safeLine(problem)))
  const onChange = unthrowing(options.onChange ?? (() => undefined))
  const enabled = Object.entries(servers).filter(([, { disabled }]) => disabled !== true)
  const unreviewed = enabled.filter(([, { reviewed }]) => reviewed === false).map(unreviewedStatus)
  for (const { name, problem } of unreviewed) warn({ server: name, kind: "start", message: `Not started: ${problem}` })
  const names = enabled.filter(([, { reviewed }]) => reviewed !== false).map(([name]) => name)
  if (kept === undefined && names.length > 0) warnOfApprovals(notKept)
  if (names.length > 0) await Promise.all([resolved.library.client(), gate.load()])
  const connected = names.map((name) => {
    const server = new McpServer(name, servers[name] ?? {}, resolved, async () => {
      await tools.review()
      onChange(name)
    })
    const tools = new ServerTools(server, { gate, approve: options.approve ?? "first-use" })
    return tools
  })
  await Promise.all(connected.map((one) => one.start()))
  return connectionOf(connected, { gate, unreviewed, options: resolved })
}

const notKept =
  "Approvals of tools are lost with the process, so a tool that is another one in the next run is not noticed. Give connectMcp the agent's store, or dataFolder."

const waits = "it was never approved, or its program or address has changed since. Approve it with `promptstrata mcp approve`."
const skillsWait = `Its skills were not read: ${waits}`

async function connectionOf(
  connected: readonly ServerTools[],
  { gate, unreviewed, options }: { gate: ApprovalGate; unreviewed: readonly McpServerStatus[]; options: ResolvedOptions },
): Promise<McpConnection> {
  const servers = connected.map(({ server }) => server)
  const allowed = () => servers.filter(({ isAllowed }) => isAllowed)
  const skills = await serverSkills(allowed(), options)
  for (const server of servers)
    if (server.link.current && !server.isAllowed && server.settings.skills?.length) server.warn("skills", skillsWait)
  const tools = connected.flatMap((one) => one.tools)
  const reading = <T>(read: (signal: AbortSignal) => Promise<T>) => withReadTimeout(options, read)
  return {
    name: "mcp",
    tools,
    skills,
    hooks: [currentToolsHook(tools, connected)],
    mayAddTool: (tool) => servers.some(({ name }) => tool.startsWith(`${name}.`)),
    servers: () => [...connected.map(statusOf), ...unreviewed],
    currentTools: () => connected.flatMap((one) => one.tools),
    waiting: () => connected.flatMap(waitingOf),
    async approve(waiting) {
      const held = new Set(servers.flatMap(({ name, isHeld }) => (isHeld ? [name] : [])))
      await gate.approve(waiting.map(({ tool, fingerprint }) => [held.has(tool) ? settingsKey(tool) : tool, fingerprint]))
      await Promise.all(connected.map((one) => (one.server.isHeld ? one.start() : one.review())))
    },
    resources: () => reading((signal) => listResources(allowed(), signal)),
    prompts: () => reading((signal) => listPrompts(allowed(), signal)),
    readResource: (server, uri) => reading((signal) => readResource(serverNamed(servers, server), uri, signal)),
    getPrompt: (server, name, args = {}) => reading((signal) => getPrompt(serverNamed(servers, server), { name, args }, signal)),
    close: async () => {
      await Promise.all(servers.map(({ link }) => link.close()))
    },
  }
}

/** Adds and withdraws tools at the beginning of a turn when they differ from those that the agent was made with. */
function currentToolsHook(atFirst: readonly Tool[], connected: readonly ServerTools[]): TurnHook {
  return {
    name: "mcp",
    beforeTurn({ addTools, withdrawTools }) {
      for (const { server } of connected) server.link.wake()
      const now = connected.flatMap((one) => one.tools)
      const gone = atFirst.filter((tool) => !now.includes(tool))
      const added = now.filter((tool) => !atFirst.includes(tool))
      if (gone.length > 0) withdrawTools(gone.map(({ name }) => name))
      if (added.length > 0) addTools(added)
    },
  }
}

function serverNamed(servers: readonly McpServer[], name: string): McpServer {
  const found = servers.find((server) => server.name === name)
  if (found && !found.isAllowed && (found.isHeld || found.link.current))
    throw new PromptStrataError("mcp", `MCP server ${JSON.stringify(name)} is not allowed: ${waits}`)
  if (found !== undefined) return found
  const known = servers.map((server) => server.name).join(", ") || "none"
  throw new PromptStrataError("mcp", `expected a connected MCP server, found ${JSON.stringify(name)}; there are: ${known}.`)
}

function statusOf({ server, listed, heldBecause }: ServerTools): McpServerStatus {
  const { name, link, stderr, isHeld } = server
  return {
    name,
    state: isHeld && link.state !== "closed" ? "unreviewed" : link.state,
    connected: link.opened,
    pid: link.current?.pid,
    problem: isHeld ? heldBecause : link.problem === undefined ? undefined : safeLine(link.problem),
    stderr,
    tools: listed.map(({ tool, verdict }) => ({ name: `${name}.${tool.name}`, description: tool.description, verdict })),
  }
}

/** The state of a server that a person has to allow first (L15). */
function unreviewedStatus([name, settings]: readonly [name: string, settings: McpServerSettings]): McpServerStatus {
  const problem = `nobody has reviewed this imported server, which ${destinationOf(settings)}. To allow it, read its settings and delete reviewed = false from [mcp.servers.${name}] of the profile.`
  return { name, state: "unreviewed", connected: 0, problem, stderr: "", tools: [] }
}

function waitingOf({ server, listed, verdict, settings }: ServerTools): McpUnapprovedTool[] {
  if (server.isHeld) {
    const description = `This server was not started. It ${destinationOf(server.settings)}.`
    return [{ tool: server.name, reason: "changed", description, inputSchema: {}, fingerprint: settings }]
  }
  if (listed.length === 0 && verdict !== "approved" && server.program !== "") {
    const description = `This server ${destinationOf(server.settings)}. It offers no tools.`
    return [{ tool: server.name, reason: verdict, description, inputSchema: {}, fingerprint: server.program }]
  }
  return listed.flatMap(({ tool: { name, description, inputSchema, fingerprint }, verdict }) =>
    verdict === "approved" ? [] : [{ tool: `${server.name}.${name}`, reason: verdict, description, inputSchema, fingerprint }],
  )
}

printParametersBy(toolParameters)
