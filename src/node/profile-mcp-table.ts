import { z } from "zod"
import { choice, key, line, names, table, text } from "./profile-fields.ts"

const milliseconds = () => {
  const expected = { error: "a whole number from 1 to 2147483647" }
  return z.int(expected).min(1, expected).max(2_147_483_647, expected)
}

const httpUrl = z
  .url({ protocol: /^https?$/, error: "a URL that begins with http:// or https://" })
  .meta({ pattern: "^https?://" })

const texts = () => z.record(z.string(), text(), { error: "a table of strings" })

/** One `[mcp.servers.NAME]` */
const serverTable = table("A server that offers tools: a program to run, or the address of one that runs.", {
  command: key(line(), { meaning: "The program to run: a name on PATH, or a path relative to this file.", otherwise: "`url`" }),
  args: key(z.array(text(), { error: "an array of strings" }), { meaning: "Its arguments, as they are.", fallback: [] }),
  cwd: key(line(), { meaning: "The folder it runs in. Relative to this file.", otherwise: "where promptstrata runs" }),
  env: key(texts(), {
    meaning: "Variables of its environment; ${NAME} in a value is filled from yours.",
    otherwise: "none",
  }),
  pass_env: key(names("GITHUB_TOKEN"), {
    meaning: "Variables of your environment that it gets too. Without them it gets PATH, HOME and their like.",
    fallback: [],
  }),
  url: key(httpUrl, { meaning: "The address of a server that speaks streamable HTTP.", otherwise: "`command`" }),
  headers: key(texts(), {
    meaning: 'Sent with every request, such as Authorization = "Bearer ${TOKEN}"; ${NAME} is filled from your environment.',
    otherwise: "none",
  }),
  allow: key(names("read_*"), {
    meaning: "Tools that may be used, by their names on the server; * stands for any characters.",
    otherwise: "all",
  }),
  deny: key(names("write_*"), { meaning: "Tools that may not, whatever allow says.", fallback: [] }),
  approve: key(choice("first-use", "ask"), {
    meaning:
      'Whether a tool that was never seen before can be used at once ("first-use") or after `promptstrata mcp approve` ("ask"). One that changes always waits.',
    fallback: "first-use",
  }),
  skills: key(names("docs://guide"), {
    meaning: "Resources (by URI) and prompts (by name) of the server that become skills.",
    fallback: [],
  }),
  timeout_ms: key(milliseconds(), { meaning: "For one call.", otherwise: "`limits.tool_ms`" }),
  start_timeout_ms: key(milliseconds(), { meaning: "For the server to be ready.", fallback: 15_000 }),
})

/** `[mcp]` */
export const mcpTable = table("Tools from servers that speak the Model Context Protocol.", {
  servers: key(z.record(z.string(), serverTable, { error: "a table for each server, written [mcp.servers.NAME]" }), {
    meaning: "A table for each server. NAME stands before the names of its tools: NAME.tool.",
    otherwise: "none",
  }),
})
