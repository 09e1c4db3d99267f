import type { Tool } from "../tools/tool.ts"
import type { Ledger, Verdict } from "./ledger.ts"
import { makeTool } from "./make-tool.ts"
import type { RemoteTool } from "./remote-tool.ts"
import type { McpServer } from "./server.ts"
import type { CallProblem, McpWords } from "./words.ts"

/** A tool that a server lists, and whether it may be used. */
export interface ListedTool {
  readonly tool: RemoteTool
  readonly verdict: Verdict
}

/** A server's tools with their verdicts, and those of them that can be used as the agent's tools. */
export class Shelf {
  readonly server: McpServer
  readonly #ledger: Ledger
  readonly #words: McpWords
  readonly #approve: "first-use" | "ask"
  #listed: readonly ListedTool[] = []
  #tools: readonly Tool[] = []
  /** By fingerprint, so that a definition that stays keeps its tool. */
  readonly #made = new Map<string, { readonly fingerprint: string; readonly tool: Tool }>()

  constructor(
    server: McpServer,
    { ledger, words, approve }: { readonly ledger: Ledger; readonly words: McpWords; readonly approve: "first-use" | "ask" },
  ) {
    this.server = server
    this.#ledger = ledger
    this.#words = words
    this.#approve = server.settings.approve ?? approve
  }

  /** Those that can be used. */
  get tools(): readonly Tool[] {
    return this.#tools
  }

  /** Everything the server listed when it was last looked at, with what holds of it. */
  get listed(): readonly ListedTool[] {
    return this.#listed
  }

  /** Looks at the server's list anew, and at what was approved. Tools that cannot be used are warnings, once. */
  async review(): Promise<void> {
    const { tools } = this.server
    const verdicts = await this.#ledger.review(this.server.name, tools, this.#approve)
    // A list that came meanwhile has a review of its own.
    if (tools !== this.server.tools) return
    const before = this.#listed
    this.#listed = tools.map((tool) => ({ tool, verdict: verdicts.get(tool.name) ?? "new" }))
    for (const listed of this.#listed) if (!before.some((one) => isSame(one, listed))) this.#tellOf(listed)
    this.#tools = this.#listed.filter(({ verdict }) => verdict === "approved").map(({ tool }) => this.#toolFor(tool))
  }

  #tellOf({ tool, verdict }: ListedTool): void {
    if (verdict === "approved") return
    const why = verdict === "changed" ? "its definition is another than the one that was approved" : "it was never approved"
    this.server.warn("approval", `The tool ${tool.name} cannot be used: ${why}. Approve it with \`promptstrata mcp approve\`.`)
  }

  #toolFor(remote: RemoteTool): Tool {
    const known = this.#made.get(remote.name)
    if (known?.fingerprint === remote.fingerprint) return known.tool
    const tool = makeTool(this.server, remote, { words: this.#words, problemOf: (name) => this.#problemOf(name) })
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
