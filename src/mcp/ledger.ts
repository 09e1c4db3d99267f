import { messageOf } from "../core/errors.ts"
import type { Fingerprints, McpApprovals } from "./approvals.ts"
import type { RemoteTool } from "./remote-tool.ts"

/** Whether a tool may be used: `new` was never approved, `changed` was approved as something else. */
export type Verdict = "approved" | "new" | "changed"

/** What was approved, as far as this process knows. */
export class Ledger {
  readonly #approvals: McpApprovals
  readonly #onProblem: (problem: string) => void
  #known: Fingerprints = {}

  constructor(approvals: McpApprovals, onProblem: (problem: string) => void) {
    this.#approvals = approvals
    this.#onProblem = onProblem
  }

  /** Reads what was kept; rejects as the port does. */
  async load(): Promise<void> {
    this.#known = { ...this.#known, ...(await this.#approvals.load()) }
  }

  /** A verdict for each tool, by name; with `first-use` a tool that was never seen is approved by that. */
  async review(
    server: string,
    tools: readonly RemoteTool[],
    approve: "first-use" | "ask",
  ): Promise<ReadonlyMap<string, Verdict>> {
    await this.load().catch((error: unknown) => this.#onProblem(messageOf(error)))
    const isNew = (tool: RemoteTool): boolean => !Object.hasOwn(this.#known, keyOf(server, tool))
    if (approve === "first-use") await this.approve(tools.filter(isNew).map((tool) => [keyOf(server, tool), tool.fingerprint]))
    return new Map(tools.map((tool) => [tool.name, this.#verdict(server, tool)]))
  }

  /** Approves definitions, by `server.tool`. What cannot be kept still counts in this process. */
  async approve(definitions: readonly (readonly [tool: string, fingerprint: string])[]): Promise<void> {
    if (definitions.length === 0) return
    const approved = Object.fromEntries(definitions)
    this.#known = { ...this.#known, ...approved }
    await this.#approvals.save(approved).catch((error: unknown) => this.#onProblem(messageOf(error)))
  }

  #verdict(server: string, tool: RemoteTool): Verdict {
    const key = keyOf(server, tool)
    if (!Object.hasOwn(this.#known, key)) return "new"
    return this.#known[key] === tool.fingerprint ? "approved" : "changed"
  }
}

function keyOf(server: string, tool: RemoteTool): string {
  return `${server}.${tool.name}`
}
