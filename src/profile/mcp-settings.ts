/** A server that offers tools over the Model Context Protocol: a program to run, or the address of one that runs. */
export interface McpServerSettings {
  /** The program to run. Either this or `url`. */
  readonly command?: string
  readonly args?: readonly string[]
  /** Where the program runs. `loadProfile` makes it absolute; default: where this process runs. */
  readonly cwd?: string
  /** Variables of the program's environment; `${NAME}` in a value is filled from this process's. */
  readonly env?: Readonly<Record<string, string>>
  /** Variables of this process's environment that the program gets too, beside PATH, HOME and their like. */
  readonly passEnv?: readonly string[]
  /** The address of a server that speaks streamable HTTP. */
  readonly url?: string
  /** Sent with every request; `${NAME}` in a value is filled from the environment. */
  readonly headers?: Readonly<Record<string, string>>
  /** Tools that may be used, by their names on the server; `*` stands for any characters. Default: all. */
  readonly allow?: readonly string[]
  /** Tools that may not, whatever `allow` says. */
  readonly deny?: readonly string[]
  /** Whether a tool that was never seen before can be used at once, or only after a person has approved it. Default `first-use`. */
  readonly approve?: "first-use" | "ask"
  /** Resources (by URI) and prompts (by name) that become skills of the agent. */
  readonly skills?: readonly string[]
  /** For one call. Default: the turn's limit for tools. */
  readonly timeoutMs?: number
  /** For the server to be ready. Default 15,000. */
  readonly startTimeoutMs?: number
}

/** Servers that offer tools over the Model Context Protocol, by the name that stands before their tools' names. */
export interface McpSettings {
  readonly servers: Readonly<Record<string, McpServerSettings>>
}
