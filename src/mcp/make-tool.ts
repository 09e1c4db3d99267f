import type { Tool } from "../tools/tool.ts"
import { checkRecord } from "../tools/tool-schema.ts"
import { callTool } from "./call-tool.ts"
import type { RemoteTool } from "./remote-tool.ts"
import type { McpServer } from "./server.ts"
import type { CallProblem, McpWords } from "./words.ts"

/** What a tool is made with. `problemOf` says, at the time of a call, why the tool of that name cannot be used now. */
export interface MakeToolOptions {
  readonly words: McpWords
  readonly problemOf: (tool: string) => CallProblem | undefined
}

/** A server's tool as one of the agent's, named `server.tool`. Its words are the server's: trust `tool`. */
export function makeTool(server: McpServer, tool: RemoteTool, { words, problemOf }: MakeToolOptions): Tool {
  const { timeoutMs } = server.settings
  const refuseUnusable = (): void => {
    const problem = problemOf(tool.name)
    if (problem !== undefined) throw words.problem(problem)
  }
  return {
    name: `${server.name}.${tool.name}`,
    group: "external",
    description: tool.description,
    trust: "tool",
    inputSchema: tool.inputSchema,
    visibility: "planner",
    repeatable: false,
    writes: !tool.readOnly,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    check: checkRecord,
    async execute(args, context) {
      refuseUnusable()
      // A server that was started again may come back with other tools.
      if (server.link.current === undefined) await server.link.get(context.signal)
      refuseUnusable()
      return callTool(server, { tool, args, words }, context)
    },
  }
}
