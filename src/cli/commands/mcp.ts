import type { Command } from "commander"
import { defaultPorts } from "../../agent/default-ports.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { McpConnection, McpWaitingTool } from "../../mcp/connection.ts"
import type { Profile } from "../../profile/profile.ts"
import { executeTool } from "../../tools/execute-tool.ts"
import type { Tool } from "../../tools/tool.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { exitCodes } from "../exit-codes.ts"
import { jsonLine } from "../json-line.ts"
import { openMcp, openProfile } from "../open-agent.ts"
import { addCommonOptions, type CommonOptions } from "../options.ts"
import { terminalConfirm } from "../terminal-confirm.ts"
import { oneLine, terminalText } from "../terminal-text.ts"
import { chatWords } from "../words/chat-words.ts"
import { type McpWords, mcpWords } from "../words/mcp-words.ts"

interface McpListOptions extends CommonOptions {
  readonly json?: boolean
}

interface McpCallOptions extends CommonOptions {
  /** `server.tool`. */
  readonly tool: string
  /** A JSON object. */
  readonly args: string
}

interface McpApproveOptions extends CommonOptions {
  /** `server.tool` of each; empty: all that wait. */
  readonly tools: readonly string[]
  readonly yes?: boolean
}

const help = `
A profile names its servers in tables [mcp.servers.NAME]. Their tools are called NAME.TOOL. If the definition of an
approved tool changes, it cannot be used until it is approved again. Approvals are kept in the data folder.

Examples:
  promptstrata mcp list --profile ./bots/mine.toml
  promptstrata mcp call files.read_text_file '{"path": "notes.txt"}' --profile ./bots/mine.toml
  promptstrata mcp approve --profile ./bots/mine.toml`

/** Adds the commands `mcp list`, `mcp call` and `mcp approve`. */
export function addMcp(program: Command, run: RunCommand): void {
  const mcp = program
    .command("mcp")
    .summary("list, call and approve the tools of MCP servers")
    .description("List, call and approve the tools of the MCP servers that a profile names.")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", help)
  const list = mcp
    .command("list")
    .summary("print the servers and their tools")
    .description("Print the servers, their states and their tools. The exit code is 1 if a server is not ready.")
    .option("--json", "print the servers as JSON")
  addOptions(list).action((given: McpListOptions) => run((context) => mcpList(given, context), { debug: given.debug }))
  const call = mcp
    .command("call")
    .summary("call a tool and print its result")
    .description("Call a tool and print its result. The exit code is 1 if the call fails.")
    .argument("<tool>", "name of the tool: SERVER.TOOL")
    .argument("[arguments]", "a JSON object", "{}")
  addOptions(call).action((tool: string, args: string, given: Omit<McpCallOptions, "tool" | "args">) =>
    run((context) => mcpCall({ ...given, tool, args }, context), { debug: given.debug }),
  )
  const approve = mcp
    .command("approve")
    .summary("approve tools")
    .description("Show the tools that wait for approval, and ask for each one.")
    .argument("[tools...]", "names of tools: SERVER.TOOL (default: all that wait)")
    .option("--yes", "approve without asking")
  addOptions(approve).action((tools: readonly string[], given: Omit<McpApproveOptions, "tools">) =>
    run((context) => mcpApprove({ ...given, tools }, context), { debug: given.debug }),
  )
}

function addOptions(command: Command): Command {
  return addCommonOptions(command, { profile: "fay" })
}

/** Prints the servers of a profile and their tools. Resolves to the exit code: 1 if a server is not ready. */
function mcpList(options: McpListOptions, context: CliContext): Promise<number> {
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

/** Calls a tool as a turn does and prints its result. Resolves to the exit code. */
function mcpCall(options: McpCallOptions, context: CliContext): Promise<number> {
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
    // Reported below.
  }
  throw new PromptStrataError("usage", words.badArguments)
}

/** Shows every waiting tool and asks for approval. Resolves to the exit code: 1 if a tool still waits. */
function mcpApprove(options: McpApproveOptions, context: CliContext): Promise<number> {
  return withServers(options, context, async ({ mcp, profile, words }) => {
    const { io, screen } = context
    const chosen = mcp.waiting().filter(({ tool }) => options.tools.length === 0 || options.tools.includes(tool))
    if (chosen.length === 0) {
      io.stdout.write(`${words.nothingWaits}\n`)
      return exitCodes.ok
    }
    const { confirm } = terminalConfirm(context, chatWords(profile.locale))
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

interface Opened {
  readonly mcp: McpConnection
  readonly profile: Profile
  readonly words: McpWords
}

/** Runs a command with the profile's servers connected, and closes them in any case. */
async function withServers(
  options: CommonOptions,
  context: CliContext,
  use: (opened: Opened) => Promise<number>,
): Promise<number> {
  const profile = await openProfile(options, context)
  const words = mcpWords(profile.locale)
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
