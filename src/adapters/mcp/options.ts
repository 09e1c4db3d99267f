import { dirname, join } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import { hostPorts, type Ports } from "../../core/ports.ts"
import type { SessionStore } from "../../memory/services/store/session-store.ts"
import type { PromptSource } from "../../prompt/dialect/prompt-source.ts"
import type { ToolContext } from "../../prompt/tools/tool.ts"
import { fileApprovals, type McpApprovals } from "./approvals.ts"
import type { Environment } from "./server-settings.ts"
import { type McpWarning, unthrowing, warnOnConsole } from "./warnings.ts"
import { mcpWords } from "./words.ts"

/** Options of `connectMcp`. All are optional. */
export interface McpOptions {
  /** The language of the texts that models read. Default `en`. */
  readonly locale?: string
  /** The variables for `${NAME}` in settings and for `passEnv`. Default: the process's environment. */
  readonly env?: Environment
  /** The agent's store. Approvals are kept beside a store of `openStore(folder)`, in `<folder>/mcp-approvals.json`. */
  readonly store?: SessionStore & { readonly file?: string }
  /** The folder for approvals, `<dataFolder>/mcp-approvals.json`, as of the command line. It comes before `store`. */
  readonly dataFolder?: string
  /** Another place for approvals: the path of a JSON file, which the first one creates, or a store of your own. Without these three they are lost with the process, which is a warning. */
  readonly approvals?: McpApprovals | string | undefined
  /** For servers whose settings do not say. `first-use` approves a tool when it is first seen. Default `first-use`. */
  readonly approve?: "first-use" | "ask"
  /** Names that no server may have, such as those of built-in tools. */
  readonly reserved?: readonly string[]
  /** Default: `console.warn`. */
  readonly onWarning?: (warning: McpWarning) => void
  /** Called after a server's tool list was read again. Turns use the new list from the next one on. */
  readonly onChange?: (server: string) => void
  /**
   * Answers a server's question to the user. `confirm` asks yes or no as a question of the call (`ToolContext.confirm`), and declines
   * one that needs values without defaults. Without it, such requests are refused.
   */
  readonly elicit?: ((request: ElicitRequest) => Promise<ElicitAnswer>) | "confirm" | undefined
  /** Answers a server's request to the model. Without it, such requests are refused. */
  readonly sample?: ((request: SampleRequest) => Promise<SampleAnswer>) | undefined
  /** Time, timers and randomness, for tests. */
  readonly ports?: Partial<Pick<Ports, "clock" | "timers" | "random">>
  /** Prompt files, as `tools/LOCALE/mcp.md`, instead of the shipped ones. */
  readonly prompts?: readonly PromptSource[]
  /** The client library. Default: the package `@modelcontextprotocol/client`, loaded when it is needed. */
  readonly library?: ClientLibrary
}

/** The turn in whose call a server asks. If several calls run, nobody can tell which of them asks: then there is only a `key`, and only one that all of them share. */
export interface CallingTurn extends Pick<ToolContext, "confirm"> {
  readonly key?: ToolContext["key"] | undefined
}

/** A server's question to the user during a call. Its text is untrusted. */
export interface ElicitRequest extends CallingTurn {
  readonly server: string
  readonly message: string
  /** JSON Schema of the answer: an object of plain values. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** The user's answer. A value that `accept` leaves out gets the schema's default. */
export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>
}

/** A server's request to the agent's model. Its text is untrusted. */
export interface SampleRequest extends Pick<CallingTurn, "key"> {
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

/** Options with their defaults filled in. All servers of one connection share them. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

export function resolveOptions(options: McpOptions) {
  const { library = clientLibrary, env = process.env, elicit, sample } = options
  return {
    ...{ library, env, elicit, sample },
    words: mcpWords(options.locale ?? "en", options.prompts),
    ports: { ...hostPorts, ...options.ports },
    warn: unthrowing(options.onWarning ?? warnOnConsole),
  }
}

/** Approvals in the place that options name, in the data folder or beside the store; `undefined` without these, and for a store that is in no folder. */
export function keptApprovals({ approvals, store, dataFolder }: McpOptions): McpApprovals | undefined {
  if (approvals !== undefined) return typeof approvals === "string" ? fileApprovals(approvals) : approvals
  // The store of a folder is `<folder>/.promptstrata/store.sqlite`.
  const folder = dataFolder ?? (store?.file === undefined ? undefined : dirname(dirname(store.file)))
  return folder === undefined ? undefined : fileApprovals(join(folder, "mcp-approvals.json"))
}

/** The package `@modelcontextprotocol/client`. It is large, so that it is loaded only when a server is first connected. */
export interface ClientLibrary {
  client(): Promise<typeof import("@modelcontextprotocol/client")>
  /** The part that starts programs. */
  stdio(): Promise<typeof import("@modelcontextprotocol/client/stdio")>
}

/** The installed package. Throws `missing-dependency` without it. */
export const clientLibrary: ClientLibrary = {
  client: () => loadOrExplain(() => import("@modelcontextprotocol/client")),
  stdio: () => loadOrExplain(() => import("@modelcontextprotocol/client/stdio")),
}

/** Resolves as `load` does. Throws `missing-dependency` when it rejects. */
export async function loadOrExplain<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new PromptStrataError(
      "missing-dependency",
      "MCP servers need the package `@modelcontextprotocol/client`, version 2, which could not be loaded.",
      { cause, hint: "Run `npm install @modelcontextprotocol/client`." },
    )
  }
}
