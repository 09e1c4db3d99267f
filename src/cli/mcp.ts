import { defaultPorts } from "../agent/agent-store.ts"
import { PromptStrataError } from "../core/errors.ts"
import type { McpConnection, McpWaitingTool } from "../mcp/connect-mcp.ts"
import type { Profile } from "../profile/profile.ts"
import { executeTool } from "../tools/execute-tool.ts"
import type { Tool } from "../tools/tool.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { jsonLine } from "./json-line.ts"
import { openMcp } from "./open-mcp.ts"
import { openProfile } from "./open-profile.ts"
import { terminalConfirm } from "./terminal-confirm.ts"
import { oneLine, terminalText } from "./terminal-text.ts"
import { wordsFor } from "./words.ts"
import { type McpWords, mcpWordsFor } from "./words-mcp.ts"

/** What `mcp list` was asked for. */
export interface McpListOptions extends CommonOptions {
  readonly json: boolean
}

/** What `mcp call` was asked for. */
export interface McpCallOptions extends CommonOptions {
  /** `server.tool`. */
  readonly tool: string
  /** A JSON object. */
  readonly args: string
}

/** What `mcp approve` was asked for. */
export interface McpApproveOptions extends CommonOptions {
  /** By `server.tool`; all that wait where none is named. */
  readonly tools: readonly string[]
  readonly yes: boolean
}

interface Opened {
  readonly mcp: McpConnection
  readonly profile: Profile
  readonly words: McpWords
}

/** Shows the servers of a profile and their tools. Resolves to the exit code. */
export function mcpList(options: McpListOptions, context: CliContext): Promise<number> {
  return withServers(options, context, async ({ mcp, words }) => {
    const servers = mcp.servers()
    if (options.json) context.io.stdout.write(`${jsonLine(servers)}\n`)
    else for (const server of servers) context.io.stdout.write(`${describe(server, words)}\n`)
    return servers.every(({ state }) => state === "ready") ? exitCodes.ok : exitCodes.failed
  })
}

function describe({ name, state, problem, tools }: ReturnType<McpConnection["servers"]>[number], words: McpWords): string {
  const head = `${name} (${words.states[state]})${problem === undefined ? "" : `: ${oneLine(problem)}`}`
  const lines = tools.map(({ name: tool, description, verdict }) => {
    const mark = words.verdicts[verdict] === "" ? "" : `[${words.verdicts[verdict]}] `
    return `  ${tool}  ${mark}${oneLine(description, 100)}`
  })
  return [head, ...lines].join("\n")
}

/** Calls one tool as a turn would and prints its result. Resolves to the exit code. */
export function mcpCall(options: McpCallOptions, context: CliContext): Promise<number> {
  return withServers(options, context, async ({ mcp, profile, words }) => {
    const { io, screen } = context
    const tool = mcp.currentTools().find(({ name }) => name === options.tool)
    if (tool === undefined) {
      const known = mcp.currentTools().map(({ name }) => name)
      screen.complain(words.noTool(oneLine(options.tool), known.join(", ") || "-"))
      return exitCodes.failed
    }
    const outcome = await run(tool, readArguments(options.args, words), { profile, context })
    if (outcome.status === "ok") {
      io.stdout.write(`${terminalText(outcome.result)}\n`)
      return exitCodes.ok
    }
    const { failure } = outcome
    screen.complain(terminalText(failure.kind === "threw" ? failure.reason : failure.kind))
    return exitCodes.failed
  })
}

function run(tool: Tool, args: unknown, { profile, context }: { readonly profile: Profile; readonly context: CliContext }) {
  const { clock, timers } = { ...defaultPorts, ...context.ports }
  const key = { agent: profile.agent.id, conversation: "mcp", audience: "private", user: "terminal" } as const
  return executeTool(tool, args, {
    context: { key, turnId: "mcp", clock },
    signal: new AbortController().signal,
    timers,
    timeoutMs: profile.limits.toolMs,
    maxResultCharacters: Number.MAX_SAFE_INTEGER,
    notice: () => "",
  })
}

function readArguments(text: string, words: McpWords): unknown {
  try {
    const args: unknown = JSON.parse(text)
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return args
  } catch {
    // Told below.
  }
  throw new PromptStrataError("usage", words.badArguments)
}

/** Shows every tool that waits, and approves what the user says yes to. Resolves to the exit code: 1 while some still wait. */
export function mcpApprove(options: McpApproveOptions, context: CliContext): Promise<number> {
  return withServers(options, context, async ({ mcp, profile, words }) => {
    const { io, screen } = context
    const chosen = mcp.waiting().filter(({ tool }) => options.tools.length === 0 || options.tools.includes(tool))
    if (chosen.length === 0) {
      io.stdout.write(`${words.nothingWaits}\n`)
      return exitCodes.ok
    }
    const { confirm } = terminalConfirm(context, wordsFor(profile.locale))
    let left = 0
    for (const tool of chosen) {
      const request = { tool: tool.tool, summary: words.approve, detail: definition(tool, words) }
      const isAsked = io.stdin.isTTY === true && !options.yes
      if (!isAsked) screen.note(`${oneLine(tool.tool)}\n${terminalText(request.detail)}`)
      const isApproved = isAsked ? await confirm(request, new AbortController().signal) : options.yes || options.tools.length > 0
      if (isApproved) await mcp.approve([tool])
      if (isApproved) io.stdout.write(`${words.approved(oneLine(tool.tool))}\n`)
      else left++
    }
    if (left > 0) screen.note(words.stillWaiting(left))
    return left === 0 ? exitCodes.ok : exitCodes.failed
  })
}

function definition({ description, inputSchema, reason }: McpWaitingTool, words: McpWords): string {
  return [...(reason === "changed" ? [words.changedBefore] : []), description, JSON.stringify(inputSchema, undefined, 2)].join(
    "\n",
  )
}

/** Whatever comes of it, the servers are ended. */
async function withServers(
  options: CommonOptions,
  context: CliContext,
  use: (opened: Opened) => Promise<number>,
): Promise<number> {
  const profile = await openProfile(options, context.io)
  const words = mcpWordsFor(profile.locale)
  const mcp = await openMcp(profile, options, context)
  if (mcp === undefined) {
    context.screen.complain(words.noServers(oneLine(profile.name)))
    return exitCodes.failed
  }
  try {
    return await use({ mcp, profile, words })
  } finally {
    await mcp.close()
  }
}
