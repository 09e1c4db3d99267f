import { isRecord, listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import { type CharacterLocale, characterId } from "../commands/scaffold.ts"
import type { ImportedFiles } from "./imported-files.ts"

type Json = Readonly<Record<string, unknown>>

/** The servers of a file of another program, such as `{ "mcpServers": { … } }`; undefined for other JSON. */
export function mcpServersIn(json: Json): Json | undefined {
  const servers = json.mcpServers ?? json.servers
  const isServer = (value: unknown) => ["command", "url", "serverUrl"].some((name) => stringOf(recordOf(value)[name]) !== "")
  return isRecord(servers) && Object.values(servers).some(isServer) ? servers : undefined
}

/**
 * A profile with the servers of the file. Values of `env` and `headers` may be secrets, so they stay where they are: the profile takes
 * each from the environment.
 */
export function filesOfServers(
  servers: Json,
  { file, locale }: { readonly file: string; readonly locale: CharacterLocale },
): ImportedFiles {
  const report: string[] = []
  const taken = new Set<string>()
  const tables = Object.entries(servers).flatMap(([given, value]) => {
    const name = uniqueName(given, taken)
    const shown = `server ${JSON.stringify(given.slice(0, 60))}`
    const server = recordOf(value)
    const url = stringOf(server.url) || stringOf(server.serverUrl)
    if (stringOf(server.command) === "" && url === "") {
      report.push(`${shown}: it has neither command nor url.`)
      return []
    }
    if (name !== given) report.push(`${shown}: it is called ${name}, because its name begins the names of tools.`)
    return [tableOf(server, { name, url, say: (what) => report.push(`${shown}: ${what}`) })]
  })
  const id = characterId("mcp", file)
  const head = [
    `# Servers of the Model Context Protocol. Another profile takes them with extends = "./${id}.toml".\n\nlocale = ${JSON.stringify(locale)}\n\n[agent]\nname = "MCP"\n`,
  ]
  return {
    name: id,
    what: `Settings of MCP servers: profiles/${id}.toml has ${tables.length} of them. They start when a profile that has them is used, so read it first.`,
    files: new Map([[`profiles/${id}.toml`, [...head, ...tables].join("\n")]]),
    report,
  }
}

interface ServerTable {
  readonly name: string
  readonly url: string
  say(what: string): void
}

const known: ReadonlySet<string> = new Set([
  "command",
  "args",
  "env",
  "url",
  "serverUrl",
  "headers",
  "disabled",
  "type",
  "transport",
  "cwd",
])

function tableOf(server: Json, { name, url, say }: ServerTable): string {
  const { command, args, disabled, type = server.transport, cwd } = server
  const lines: string[] = []
  const put = (key: string, value: unknown): void => void lines.push(`${key} = ${toml(value)}`)
  if (typeof command === "string" && command !== "") {
    put("command", command)
    const texts = listOf(args).filter((arg) => typeof arg === "string")
    if (texts.length > 0) put("args", texts)
    if (texts.some((arg) => arg.includes("${"))) say("an argument has ${…}, which is not filled in here.")
    if (texts.some((arg) => /(?:key|token|secret|password)/i.test(arg)))
      say("an argument may be a secret; it stands in the file.")
    if (url !== "") say("its url is left out, because it has a command.")
  } else put("url", url)
  if (disabled === true) put("disabled", true)
  if (typeof cwd === "string" && cwd !== "") put("cwd", cwd)
  if (type === "sse") say("it speaks SSE; only streamable HTTP is spoken here.")
  for (const name of Object.keys(server)) if (!known.has(name)) say(`${name.slice(0, 60)}: a profile has no such setting.`)
  const fromEnvironment = (key: "env" | "headers"): string => {
    const entries = Object.entries(recordOf(server[key])).filter(([inner]) => inner !== "")
    if (entries.length === 0) return ""
    const values = entries.map(([inner]) => {
      const variable = (key === "env" ? inner : `${name}_${inner}`).replace(/[^A-Za-z0-9_]/g, "_").toUpperCase()
      say(`${key}.${inner.slice(0, 60)}: its value was not copied; set ${variable} in the environment.`)
      return `${toml(inner)} = ${toml(`\${${variable}}`)}\n`
    })
    return `\n[mcp.servers.${name}.${key}]\n${values.join("")}`
  }
  return `[mcp.servers.${name}]\n${lines.join("\n")}\n${fromEnvironment("env")}${fromEnvironment("headers")}`
}

/** A value of TOML. It has the form of JSON's, without broken characters. */
function toml(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner)).replaceAll(
    "\u007f",
    "\\u007F",
  )
}

function uniqueName(given: string, taken: Set<string>): string {
  const base =
    given
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 40) || "server"
  let name = base
  for (let at = 2; taken.has(name); at++) name = `${base}-${at}`
  taken.add(name)
  return name
}
