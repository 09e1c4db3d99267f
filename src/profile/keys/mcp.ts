import { choice, flag, httpUrlForm, type InputOf, line, lines, list, map, milliseconds, table } from "../key.ts"

const texts = () => map<string>({ kind: "text" }, { expected: "a table of strings" })

/** `[mcp.servers.NAME]` */
export const mcpServer = table({
  command: line(),
  args: list<string, readonly string[]>(
    { kind: "text" },
    {
      default: [],
      expected: "an array of strings",
    },
  ),
  cwd: line(),
  env: texts(),
  passEnv: lines("GITHUB_TOKEN", { default: [] }),
  url: line({ form: httpUrlForm }),
  headers: texts(),
  allow: lines("read_*", {}),
  deny: lines("write_*", { default: [] }),
  approve: choice(["first-use", "ask"], { default: "first-use" }),
  destructive: choice(["ask", "run"], { default: "ask" }),
  skills: lines("docs://guide", { default: [] }),
  timeoutMs: milliseconds(),
  disabled: flag({ default: false }),
  reviewed: flag({ default: true }),
  startTimeoutMs: milliseconds({ default: 15_000 }),
})

/** A server that offers tools over the Model Context Protocol: a program to run, or the address of one that runs. */
export interface McpServerSettings extends InputOf<typeof mcpServer.keys> {}

export const mcp = table({
  servers: map<McpServerSettings, object>(mcpServer.type, {
    default: {},
    expected: "a table for each server, written [mcp.servers.NAME]",
  }),
})
