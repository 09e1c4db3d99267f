import { toolParameters } from "../../prompt/tools/print-parameters.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import { printParametersBy } from "../../prompt/tools/tool-entry.ts"
import { checkRecord } from "../../prompt/tools/tool-schema.ts"
import type { ApprovalGate, Verdict } from "./approvals.ts"
import { callTool } from "./call-tool.ts"
import type { RemoteTool } from "./remote-tools.ts"
import type { McpServer } from "./server.ts"
import type { McpWords } from "./words.ts"

printParametersBy(toolParameters)

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
  /** All tools that the server listed at the last review. */
  listed: readonly ListedTool[] = []
  /** The approved tools. */
  tools: readonly Tool[] = []
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

  /** Compares the server's list with the approvals. Warns once about each tool that cannot be used. */
  async review(): Promise<void> {
    const { tools } = this.server
    const verdicts = await this.#gate.review(this.server.name, tools, this.#approve)
    // A newer list has its own review.
    if (tools !== this.server.tools) return
    const keyOf = ({ tool, verdict }: ListedTool): string => JSON.stringify([tool.name, tool.fingerprint, verdict])
    const before = new Set(this.listed.map(keyOf))
    this.listed = tools.map((tool) => ({ tool, verdict: verdicts.get(tool.name) ?? "new" }))
    for (const listed of this.listed) if (!before.has(keyOf(listed))) this.#warnOf(listed)
    this.tools = this.listed.filter(({ verdict }) => verdict === "approved").map(({ tool }) => this.#toolFor(tool))
  }

  #warnOf({ tool, verdict }: ListedTool): void {
    if (verdict === "approved") return
    const why = verdict === "changed" ? "its definition has changed since it was approved" : "it was never approved"
    this.server.warn("approval", `The tool ${tool.name} cannot be used: ${why}. Approve it with \`promptstrata mcp approve\`.`)
  }

  #toolFor(remote: RemoteTool): Tool {
    const known = this.#made.get(remote.name)
    if (known?.fingerprint === remote.fingerprint) return known.tool
    const tool = this.#createTool(remote)
    this.#made.set(remote.name, { fingerprint: remote.fingerprint, tool })
    return tool
  }

  /** Makes the agent's tool `server.tool`. Its texts are the server's, so that its trust is `tool`. */
  #createTool(tool: RemoteTool): Tool {
    const { server } = this
    const words = this.#words
    return {
      name: `${server.name}.${tool.name}`,
      group: "external",
      description: tool.description,
      trust: "tool",
      inputSchema: tool.inputSchema,
      visibility: "planner",
      repeatable: false,
      writes: !tool.readOnly,
      needsApproval: tool.destructive && server.settings.destructive !== "run",
      timeoutMs: server.settings.timeoutMs,
      check: checkRecord,
      execute: async (args, context) => {
        this.#requireUsable(tool.name)
        // A server that was started again may have other tools.
        if (server.link.current === undefined) await server.link.get(context.signal)
        this.#requireUsable(tool.name)
        return callTool(server, { tool, args, words }, context)
      },
    }
  }

  #requireUsable(name: string): void {
    const listed = this.listed.find(({ tool }) => tool.name === name)
    if (listed?.verdict !== "approved") throw this.#words.problem(listed === undefined ? "gone" : "changed")
  }
}
