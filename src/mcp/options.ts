import type { Ports } from "../core/ports.ts"
import type { PromptSource } from "../dialect/prompt-source.ts"
import type { McpApprovals } from "./approvals.ts"
import type { ClientLibrary } from "./client-library.ts"
import type { Environment } from "./fill-variables.ts"

/** Something that is wrong with a server; the agent goes on without what it concerns. */
export interface McpWarning {
  readonly server: string
  /** `start`: it is not running. `tools`: of its list. `approval`: a tool waits for one. `result`: of a result that was kept. */
  readonly kind: "start" | "tools" | "approval" | "result" | "skills"
  /** One line, fit for a terminal. */
  readonly message: string
}

/** A server asks the user something in the middle of a call. Its words are not to be trusted. */
export interface ElicitRequest {
  readonly server: string
  readonly message: string
  /** JSON Schema of the answer: an object of plain values. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** What the user answered; where `accept` leaves out a value, the schema's default stands. */
export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>
}

/** A server asks for an answer of the agent's model. Its words are not to be trusted. */
export interface SampleRequest {
  readonly server: string
  /** The parameters of MCP's `sampling/createMessage`. */
  readonly params: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** The model's answer. */
export interface SampleAnswer {
  readonly model: string
  readonly text: string
}

/** How servers are connected. Everything may be left out. */
export interface McpOptions {
  /** Language of what models are told. Default `en`. */
  readonly locale?: string
  /** Where variables in settings are filled from. Default: the process's environment. */
  readonly env?: Environment
  /** Keeps what was approved. Default: in memory, gone with the process. */
  readonly approvals?: McpApprovals
  /** For servers that do not say. Default `first-use`. */
  readonly approve?: "first-use" | "ask"
  /** Names that no server may have, such as those of built-in tools. */
  readonly reserved?: readonly string[]
  /** Default: `console.warn`. */
  readonly onWarning?: (warning: McpWarning) => void
  /** Told when the tools of a server were read anew; turns see them from the next one on. */
  readonly onChange?: (server: string) => void
  /** Answers servers that ask the user; without it they are refused. */
  readonly elicit?: (request: ElicitRequest) => Promise<ElicitAnswer>
  /** Answers servers that ask for the model; without it they are refused. */
  readonly sample?: (request: SampleRequest) => Promise<SampleAnswer>
  /** Time, timers and randomness, for tests. */
  readonly ports?: Partial<Pick<Ports, "clock" | "timers" | "random">>
  /** Prompt files with other words than the shipped ones, as `tools/LOCALE/mcp.md`. */
  readonly prompts?: readonly PromptSource[]
  /** The client library. Default: `@modelcontextprotocol/client`, loaded when needed. */
  readonly library?: ClientLibrary
}
