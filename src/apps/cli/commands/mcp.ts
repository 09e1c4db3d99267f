import type { Command } from "commander"
import type { McpConnection, McpUnapprovedTool } from "../../../adapters/mcp/connect-mcp.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { isRecord, parsedJson } from "../../../core/json-access.ts"
import { hostPorts } from "../../../core/ports.ts"
import type { Profile } from "../../../profile/profile.ts"
import { terminalLine, terminalText } from "../../../prompt/encode/terminal-text.ts"
import { executeTool, type ToolFailure } from "../../../prompt/tools/execute-tool.ts"
import type { Tool } from "../../../prompt/tools/tool.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { exitCodes, jsonLine } from "../io.ts"
import { openMcp, openProfile } from "../open-agent.ts"
import { addCommonOptions, type CommonOptions } from "../options.ts"
import { terminalConfirm } from "../terminal-confirm.ts"
import { chatWords, type McpCommandWords, mcpWords } from "../words/command-words.ts"

interface McpOptions extends CommonOptions {
  /** Of `mcp list`. */
  readonly json?: boolean
  /** Of `mcp approve`: approve without asking. */
  readonly yes?: boolean
}

/** Adds the commands `mcp list`, `mcp call` and `mcp approve`. */
export function add(program: Command, run: RunCommand): void {
  const mcp = program.command("mcp").description("List, call and approve the tools of the MCP servers that a profile names.")
  const list = mcp
    .command("list")
    .summary("print the servers and their tools")
    .description("Print the servers, their states and their tools. The exit code is 1 if a server is not ready.")
    .option("--json", "print the servers as JSON")
  runOnServers(list, run, mcpList)
  const call = mcp
    .command("call")
    .summary("call a tool and print its result")
    .description("Call a tool and print its result. The exit code is 1 if the call fails.")
    .argument("<tool>", "name of the tool: SERVER.TOOL")
    .argument("[arguments]", "a JSON object", "{}")
  runOnServers(call, run, mcpCall)
  const approve = mcp
    .command("approve")
    .summary("approve tools")
    .description("Show the tools that wait for approval, and ask for each one.")
    .argument("[tools...]", "names of tools: SERVER.TOOL (default: all that wait)")
    .option("--yes", "approve without asking")
  runOnServers(approve, run, mcpApprove)
}

/** The connected servers of a profile and everything else that a command on them needs. */
interface OpenedServers {
  readonly context: CliContext
  readonly mcp: McpConnection
  readonly profile: Profile
  readonly words: McpCommandWords
}

/** Makes `work` the action of a command. It runs with the profile's servers connected, and they are closed in any case. */
function runOnServers(
  command: Command,
  run: RunCommand,
  work: (opened: OpenedServers, options: McpOptions, args: readonly unknown[]) => Promise<number>,
): void {
  addCommonOptions(command, { profile: "layered" }).action(() => {
    const options = command.opts<McpOptions>()
    return run(
      async (context) => {
        const profile = await openProfile(options, context)
        const words = mcpWords(profile.locale)
        const mcp = await openMcp(profile, options, context)
        if (mcp === undefined) {
          context.screen.complain(words.noServers(terminalLine(profile.name)))
          return exitCodes.failed
        }
        return await work({ context, mcp, profile, words }, options, command.processedArgs).finally(() => mcp.close())
      },
      { debug: options.debug },
    )
  })
}

/** Prints the servers of a profile and their tools. Resolves to the exit code: 1 if a server is not ready. */
async function mcpList({ context, mcp, words }: OpenedServers, options: McpOptions): Promise<number> {
  const servers = mcp.servers()
  if (options.json) context.io.stdout.write(`${jsonLine(servers)}\n`)
  else for (const server of servers) context.io.stdout.write(`${describe(server, words)}\n`)
  return servers.every(({ state }) => state === "ready") ? exitCodes.ok : exitCodes.failed
}

function describe({ name, state, problem, tools }: ReturnType<McpConnection["servers"]>[number], words: McpCommandWords): string {
  const head = `${name} (${words.states[state]})${problem === undefined ? "" : `: ${terminalLine(problem, 1_000)}`}`
  const lines = tools.map(({ name: tool, description, verdict }) => {
    const mark = words.verdicts[verdict] === "" ? "" : `[${words.verdicts[verdict]}] `
    return `  ${tool}  ${mark}${terminalLine(description, 100)}`
  })
  return [head, ...lines].join("\n")
}

/** Calls a tool as a turn does and prints its result. Resolves to the exit code. */
async function mcpCall(
  { context, mcp, profile, words }: OpenedServers,
  _: McpOptions,
  [name, args]: readonly unknown[],
): Promise<number> {
  const { io, screen } = context
  const tool = mcp.currentTools().find((candidate) => candidate.name === name)
  if (tool === undefined) {
    const known = mcp.currentTools().map((candidate) => candidate.name)
    screen.complain(words.noTool(terminalLine(String(name)), known.join(", ") || "-"))
    return exitCodes.failed
  }
  const outcome = await runTool(tool, readArguments(String(args), words), { profile, context })
  if (outcome.status === "ok") {
    io.stdout.write(`${terminalText(outcome.result)}\n`)
    return exitCodes.ok
  }
  screen.complain(context.translate(failureText(outcome.failure, tool, words)))
  return exitCodes.failed
}

function failureText(failure: ToolFailure, { name }: Tool, words: McpCommandWords): string {
  if (failure.kind === "timeout") return words.late(terminalLine(name), failure.timeoutMs / 1000)
  if (failure.kind === "invalid-arguments") return words.unfit(terminalLine(name), terminalLine(failure.issues.join("; ")))
  return failure.kind === "threw" ? failure.reason : failure.kind
}

function runTool(tool: Tool, args: unknown, { profile, context }: { readonly profile: Profile; readonly context: CliContext }) {
  const { clock, timers } = { ...hostPorts, ...context.ports }
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

function readArguments(text: string, words: McpCommandWords): unknown {
  const args = parsedJson(text)
  if (isRecord(args)) return args
  throw new PromptStrataError("usage", words.badArguments)
}

/** Shows every waiting tool and asks for approval. Resolves to the exit code: 1 if a tool still waits. */
async function mcpApprove(
  { context, mcp, profile, words }: OpenedServers,
  options: McpOptions,
  [named]: readonly unknown[],
): Promise<number> {
  const tools = named as readonly string[]
  const { io, screen } = context
  const shown = new Set<string>()
  const keyOf = ({ tool, fingerprint }: McpUnapprovedTool) => `${tool} ${fingerprint}`
  // A server that is approved is started, and then its tools wait.
  const next = () => mcp.waiting().find((one) => (tools.length === 0 || tools.includes(one.tool)) && !shown.has(keyOf(one)))
  if (next() === undefined) {
    io.stdout.write(`${words.nothingWaits}\n`)
    return exitCodes.ok
  }
  const { confirm } = terminalConfirm(context, chatWords(profile.locale))
  let left = 0
  for (let tool = next(); tool !== undefined; tool = next()) {
    shown.add(keyOf(tool))
    const request = { tool: tool.tool, summary: words.approve, detail: definition(tool, words) }
    const isAsked = io.stdin.isTTY === true && !options.yes
    if (!isAsked) screen.note(`${terminalLine(tool.tool)}\n${terminalText(request.detail)}`)
    const isApproved = isAsked ? await confirm(request, new AbortController().signal) : options.yes || tools.length > 0
    if (isApproved) await mcp.approve([tool])
    if (isApproved) io.stdout.write(`${words.approved(terminalLine(tool.tool))}\n`)
    else left++
  }
  if (left > 0) screen.note(words.stillWaiting(left))
  return left === 0 ? exitCodes.ok : exitCodes.failed
}

/** The definition of a tool. A server that waits has none: its description says what it runs or where it leads. */
function definition({ description, inputSchema, reason }: McpUnapprovedTool, words: McpCommandWords): string {
  const schema = Object.keys(inputSchema).length === 0 ? [] : [JSON.stringify(inputSchema, undefined, 2)]
  return [...(reason === "changed" ? [words.changedBefore] : []), description, ...schema].join("\n")
}
