import { type Command, Option } from "commander"
import { mcpHelp } from "./help-text.ts"
import type { McpApproveOptions, McpCallOptions, McpListOptions } from "./mcp.ts"

/** What the commands below `mcp` do. */
export interface McpCommands {
  readonly mcpList: (options: McpListOptions) => Promise<void>
  readonly mcpCall: (options: McpCallOptions) => Promise<void>
  readonly mcpApprove: (options: McpApproveOptions) => Promise<void>
}

/** Adds the commands `mcp list`, `mcp call` and `mcp approve`. */
export function addMcp(program: Command, { mcpList, mcpCall, mcpApprove }: McpCommands): void {
  const mcp = program
    .command("mcp")
    .summary("tools of MCP servers: list, call, approve")
    .description("Look at the tools of the MCP servers that a profile names, call one, and approve those that wait for it.")
    .addHelpText("after", mcpHelp)
  shared(mcp.command("list").description("Show the servers, whether they run, and their tools."))
    .option("--json", "print everything that is known as JSON", false)
    .action((given: McpListOptions) => mcpList(given))
  shared(mcp.command("call").description("Call one tool and print its result. The exit code is 1 where the call fails."))
    .argument("<tool>", "server.tool")
    .argument("[arguments]", "a JSON object", "{}")
    .action((tool: string, args: string, given: Omit<McpCallOptions, "tool" | "args">) => mcpCall({ ...given, tool, args }))
  shared(mcp.command("approve").description("Show the tools that wait for approval, and approve them one by one."))
    .argument("[tools...]", "server.tool of those that are meant; default: all that wait")
    .option("--yes", "approve them without asking", false)
    .action((tools: readonly string[], given: Omit<McpApproveOptions, "tools">) => mcpApprove({ ...given, tools }))
}

function shared(command: Command): Command {
  return command
    .addOption(new Option("--profile <profile>", "a profile's name, or the path of its .toml file").default("fay"))
    .option("--locale <locale>", "language of the words here, such as en or zh-CN")
    .option("--data-dir <folder>", "where approvals are kept", "./data")
    .option("--debug", "print where an error was thrown", false)
}
