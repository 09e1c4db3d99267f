import { choice, flag, httpUrlForm, type InputOf, line, lines, list, map, milliseconds, table } from "../key.ts"

const texts = (words: string) => map<string>({ kind: "text" }, { expected: "a table of strings", words, otherwise: "none" })

/** `[mcp.servers.NAME]` */
export const mcpServer = table("A server that offers tools: a program to run, or the address of a server that runs already.", {
  command: line({
    words: "The program to run: a name on PATH, or a path relative to this file. Either this or `url`.",
    otherwise: "none",
  }),
  args: list<string, readonly string[]>(
    { kind: "text" },
    {
      default: [],
      expected: "an array of strings",
      words:
        "The program's arguments, as they are. Only a variable of an import, ${PROMPTSTRATA_MCP_…}, is filled from your environment.",
    },
  ),
  cwd: line({ words: "The folder in which the program runs. Relative to this file.", otherwise: "where promptstrata runs" }),
  env: texts("Variables of the program's environment. ${NAME} in a value is filled from your environment."),
  passEnv: lines("GITHUB_TOKEN", {
    default: [],
    words: "Variables of your environment that the program gets too. Without them it gets PATH, HOME and others of this kind.",
  }),
  url: line({
    form: httpUrlForm,
    words: "The address of a server with streamable HTTP. Either this or `command`.",
    otherwise: "none",
  }),
  headers: texts(
    'Sent with every request, such as Authorization = "Bearer ${TOKEN}". ${NAME} in a value is filled from your environment.',
  ),
  allow: lines("read_*", {
    words: "Tools that may be used, by their names on the server. * stands for any characters.",
    otherwise: "all",
  }),
  deny: lines("write_*", { default: [], words: "Tools that may not be used, even if `allow` lists them." }),
  approve: choice(["first-use", "ask"], {
    default: "first-use",
    words:
      'When a tool that was never seen before can be used: at once ("first-use"), or after `promptstrata mcp approve` ("ask"). A tool that changes always waits for approval.',
  }),
  destructive: choice(["ask", "run"], {
    default: "ask",
    words:
      'Tools of which the server says that they may destroy something (destructiveHint): "ask" asks a person before each call, "run" does not.',
  }),
  skills: lines("docs://guide", {
    default: [],
    words: "Resources (by URI) and prompts (by name) of the server that become skills of the agent.",
  }),
  timeoutMs: milliseconds({ words: "The time limit of one call.", otherwise: "`limits.tool_ms`" }),
  disabled: flag({ default: false, words: "True keeps the settings and does not start the server." }),
  reviewed: flag({
    default: true,
    words:
      "False: nobody has read yet what the server runs or where it leads, so it is neither started nor contacted. `promptstrata import` writes it; delete the line to allow the server.",
  }),
  startTimeoutMs: milliseconds({ default: 15_000, words: "The time that the server has to get ready." }),
})

/** A server that offers tools over the Model Context Protocol: a program to run, or the address of one that runs. */
export interface McpServerSettings extends InputOf<typeof mcpServer.keys> {}

export const mcp = table("Tools from servers that speak the Model Context Protocol.", {
  servers: map<McpServerSettings, object>(mcpServer.type, {
    default: {},
    otherwise: "none",
    expected: "a table for each server, written [mcp.servers.NAME]",
    words: "A table for each server. NAME stands before the names of its tools: NAME.tool.",
  }),
})
