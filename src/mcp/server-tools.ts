import type { Tool } from "../tools/tool.ts"
import { checkRecord } from "../tools/tool-schema.ts"
import type { ApprovalGate, Verdict } from "./approvals.ts"
import { callTool } from "./call-tool.ts"
import type { RemoteTool } from "./remote-tools.ts"
import type { McpServer } from "./server.ts"
import type { CallProblem, McpWords } from "./words.ts"

/** A tool that a server lists, and its verdict. */
interface ListedTool {
  readonly tool: RemoteTool
  readonly verdict: Verdict
}

/** The tools of one server: all with their verdicts, and the approved ones as tools of the agent. */
export class ServerTools {
  readonly server: McpServer
  readonly #gate: ApprovalGate
  readonly #words: McpWords
  readonly #approve: "first-use" | "ask"
  #listed: readonly ListedTool[] = []
  #tools: readonly Tool[] = []
  /** By name. A tool is made again only when its fingerprint changes. */
  readonly #made = new Map<string, { readonly fingerprint: string; readonly tool: Tool }>()

  constructor(
    server: McpServer,
    { gate, words, approve }: { readonly gate: ApprovalGate; readonly words: McpWords; readonly approve: "first-use" | "ask" },
  ) {
    this.server = server
    this.#gate = gate
    this.#words = words
    this.#approve = server.settings.approve ?? approve
  }

  /** The approved tools. */
  get tools(): readonly Tool[] {
    return this.#tools
  }

  /** All tools that the server listed at the last review. */
  get listed(): readonly ListedTool[] {
    return this.#listed
  }

  /** Compares the server's list with the approvals. Warns once about each tool that cannot be used. */
  async review(): Promise<void> {
    const { tools } = this.server
    const verdicts = await this.#gate.review(this.server.name, tools, this.#approve)
    // A newer list has its own review.
    if (tools !== this.server.tools) return
    const before = this.#listed
    this.#listed = tools.map((tool) => ({ tool, verdict: verdicts.get(tool.name) ?? "new" }))
    for (const listed of this.#listed) if (!before.some((one) => isSame(one, listed))) this.#warnOf(listed)
    this.#tools = this.#listed.filter(({ verdict }) => verdict === "approved").map(({ tool }) => this.#toolFor(tool))
  }

  #warnOf({ tool, verdict }: ListedTool): void {
    if (verdict === "approved") return
    const why = verdict === "changed" ? "its definition has changed since it was approved" : "it was never approved"
    this.server.warn("approval", `The tool ${tool.name} cannot be used: ${why}. Approve it with \`promptstrata mcp approve\`.`)
  }

  #toolFor(remote: RemoteTool): Tool {
    const known = this.#made.get(remote.name)
    if (known?.fingerprint === remote.fingerprint) return known.tool
    const tool = createTool(this.server, remote, { words: this.#words, problemOf: (name) => this.#problemOf(name) })
    this.#made.set(remote.name, { fingerprint: remote.fingerprint, tool })
    return tool
  }

  #problemOf(name: string): CallProblem | undefined {
    const listed = this.listed.find(({ tool }) => tool.name === name)
    if (listed === undefined) return "gone"
    return listed.verdict === "approved" ? undefined : "changed"
  }
}

function isSame(one: ListedTool, other: ListedTool): boolean {
  return one.tool.fingerprint === other.tool.fingerprint && one.tool.name === other.tool.name && one.verdict === other.verdict
}

interface CreateToolOptions {
  readonly words: McpWords
  /** Returns the reason why the tool with this name cannot be used now. */
  readonly problemOf: (tool: string) => CallProblem | undefined
}

/** Makes the agent's tool `server.tool` of a server's tool. Its texts are the server's, so that its trust is `tool`. */
function createTool(server: McpServer, tool: RemoteTool, { words, problemOf }: CreateToolOptions): Tool {
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
    timeoutMs: server.settings.timeoutMs,
    check: checkRecord,
    async execute(args, context) {
      refuseUnusable()
      // A server that was started again may have other tools.
      if (server.link.current === undefined) await server.link.get(context.signal)
      refuseUnusable()
      return callTool(server, { tool, args, words }, context)
    },
  }
}
