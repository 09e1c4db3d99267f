import * as key from "../key.ts"

const texts = () => key.map<string>({ kind: "text" }, { expected: "a table of strings" })

/** `[mcp.servers.NAME]` */
export const mcpServer = key.table({
  command: key.line(),
  args: key.list<string, readonly string[]>(
    { kind: "text" },
    {
      default: [],
      expected: "an array of strings",
    },
  ),
  cwd: key.line(),
  env: texts(),
  passEnv: key.lines("GITHUB_TOKEN", { default: [] }),
  url: key.line({ form: key.httpUrlForm }),
  headers: texts(),
  allow: key.lines("read_*", {}),
  deny: key.lines("write_*", { default: [] }),
  approve: key.choice(["first-use", "ask"], { default: "first-use" }),
  destructive: key.choice(["ask", "run"], { default: "ask" }),
  skills: key.lines("docs://guide", { default: [] }),
  timeoutMs: key.milliseconds(),
  disabled: key.flag({ default: false }),
  reviewed: key.flag({ default: true }),
  startTimeoutMs: key.milliseconds({ default: 15_000 }),
})

/** A server that offers tools over the Model Context Protocol: a program to run, or the address of one that runs. */
export interface McpServerSettings extends key.InputOf<typeof mcpServer.keys> {}

export const mcp = key.table({
  servers: key.map<McpServerSettings, object>(mcpServer.type, {
    default: {},
    expected: "a table for each server, written [mcp.servers.NAME]",
  }),
})
