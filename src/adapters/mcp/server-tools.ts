import type { Tool } from "../../prompt/tools/tool.ts"
import { jsonSchemaCheck, withoutTokens } from "../../prompt/tools/tool-schema.ts"
import type { ApprovalGate, ToolState } from "./approvals.ts"
import { callTool } from "./call-tool.ts"
import type { RemoteTool } from "./remote-tools.ts"
import type { McpServer } from "./server.ts"
import { destinationOf, programOf } from "./server-settings.ts"

/** A tool that a server lists, and its verdict. */
interface ListedTool {
  readonly tool: RemoteTool
  readonly verdict: ToolState
}

/** The tools of one server: all with their verdicts, and the approved ones as tools of the agent. */
export class ServerTools {
  readonly server: McpServer
  readonly #gate: ApprovalGate
  readonly #approve: "first-use" | "ask"
  /** A hash of what is to be started or contacted. */
  readonly settings: string
  /** All tools that the server listed at the last review. */
  listed: readonly ListedTool[] = []
  /** The verdict about the server's program or address. */
  verdict: ToolState = "new"
  /** The approved tools. */
  tools: readonly Tool[] = []
  /** By name. A tool is made again only when its fingerprint changes. */
  readonly #made = new Map<string, { readonly fingerprint: string; readonly tool: Tool }>()

  constructor(server: McpServer, { gate, approve }: { readonly gate: ApprovalGate; readonly approve: "first-use" | "ask" }) {
    this.server = server
    this.#gate = gate
    this.#approve = server.settings.approve ?? approve
    this.settings = programOf(server.settings, undefined)
  }

  /** Starts the server. One whose settings changed since they were approved is not started until these are approved too (L24). */
  async start(): Promise<void> {
    const { server, settings } = this
    const { isHeld } = server
    server.isHeld = this.#gate.reviewSettings(server.name, settings) === "changed"
    if (!server.isHeld) await server.link.start()
    else if (!isHeld) server.warn("approval", `Not started: ${this.heldBecause}`)
  }

  /** The reason why the server is not started, for people. */
  get heldBecause(): string {
    return `it now ${destinationOf(this.server.settings)}, which is another program or address, or has other variables, than was approved. Approve it with \`promptstrata mcp approve\`.`
  }

  /** Compares the server's list with the approvals. Warns once about each tool that cannot be used. */
  async review(): Promise<void> {
    const { tools } = this.server
    const { name, program } = this.server
    const verdicts = await this.#gate.review(name, tools, this.#approve)
    // A newer list has its own review.
    if (tools !== this.server.tools) return
    this.verdict = await this.#gate.reviewServer(name, { program, settings: this.settings }, this.#approve)
    this.server.isAllowed = this.verdict === "approved"
    const keyOf = ({ tool, verdict }: ListedTool): string => JSON.stringify([tool.name, tool.fingerprint, verdict])
    const before = new Set(this.listed.map(keyOf))
    this.listed = tools.map((tool) => ({ tool, verdict: verdicts.get(tool.name) ?? "new" }))
    for (const listed of this.listed) if (!before.has(keyOf(listed))) this.#warnOf(listed)
    this.tools = this.listed.filter(({ verdict }) => verdict === "approved").map(({ tool }) => this.#toolFor(tool))
  }

  #warnOf({ tool, verdict }: ListedTool): void {
    if (verdict === "approved") return
    const why =
      verdict === "changed" ? "its definition, program or address has changed since it was approved" : "it was never approved"
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
    return withoutTokens({
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
      check: jsonSchemaCheck(tool.inputSchema),
      execute: async (args, context) => {
        this.#requireUsable(tool.name)
        // A server that was started again may have other tools.
        if (server.link.current === undefined) await server.link.get(context.signal)
        this.#requireUsable(tool.name)
        return callTool(server, { tool, args }, context)
      },
    })
  }

  #requireUsable(name: string): void {
    const listed = this.listed.find(({ tool }) => tool.name === name)
    if (listed?.verdict !== "approved") throw this.server.words.problem(listed === undefined ? "gone" : "changed")
  }
}
