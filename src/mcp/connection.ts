import type { Skill } from "../layers/skills.ts"
import type { Plugin } from "../services/plugin.ts"
import type { Tool } from "../tools/tool.ts"
import type { Verdict } from "./ledger.ts"
import type { McpListing, McpPrompt, McpText } from "./listings.ts"

/** How a server is, for people. Its texts are its own and not to be trusted. */
export interface McpServerStatus {
  readonly name: string
  /** `waiting` for its next attempt to start; `failed` when it was tried too often and waits for a turn that needs it. */
  readonly state: "starting" | "ready" | "waiting" | "failed" | "closed"
  /** Times it was connected. */
  readonly connected: number
  readonly pid?: number
  readonly problem?: string
  /** The end of what its program wrote to its standard error. */
  readonly stderr: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly verdict: Verdict }[]
}

/** A tool that cannot be used until it is approved. */
export interface McpWaitingTool {
  /** `server.tool`. */
  readonly tool: string
  /** `changed`: it was approved as something else. */
  readonly reason: Exclude<Verdict, "approved">
  readonly description: string
  readonly inputSchema: Tool["inputSchema"]
  /** Of the definition that is shown here, which is what will be approved. */
  readonly fingerprint: string
}

/** Connected servers as a plugin: their tools, and more that they offer. Closing it ends every server. */
export interface McpConnection extends Plugin {
  /** The tools as they were when the servers were connected; the plugin's hook keeps turns up to date. */
  readonly tools: readonly Tool[]
  /** What `skills` of the servers' settings name. */
  readonly skills: readonly Skill[]
  servers(): readonly McpServerStatus[]
  /** The tools as the next turn will see them. */
  currentTools(): readonly Tool[]
  waiting(): readonly McpWaitingTool[]
  /** Approves definitions as they were handed out; turns have them from the next one on. */
  approve(tools: readonly McpWaitingTool[]): Promise<void>
  /** What all running servers offer. A server that cannot say is a warning. */
  resources(): Promise<readonly McpListing[]>
  prompts(): Promise<readonly McpPrompt[]>
  /** Throws `mcp` where there is no such server, or it refuses. */
  readResource(server: string, uri: string): Promise<McpText>
  getPrompt(server: string, name: string, args?: Readonly<Record<string, string>>): Promise<McpText>
  close(): Promise<void>
}
