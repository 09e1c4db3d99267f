import { checkServers } from "../../../adapters/mcp/server-settings.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { isRecord, type Json, listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import { secretFinder } from "../../../core/secrets/find-secrets.ts"
import { builtinToolNames } from "../../../node/builtin-tools.ts"
import { unsafeKeys } from "../../../node/profile/profile-document.ts"
import { contentHash } from "../../../node/workspace/text-encoding.ts"
import type { McpServerSettings } from "../../../profile/profile.ts"
import { characterId } from "../commands/scaffold.ts"
import type { ImportedFiles, ImportSource } from "./imported-files.ts"

/** The servers of another program's settings, each with the name that it has there. */
export type ForeignServers = readonly (readonly [name: string, server: unknown])[]

/**
 * The servers of a file of another program: `{ "mcpServers": { … } }`, Zed's `context_servers`, an editor's `servers`, a list, or
 * the servers by name alone. Undefined for other JSON.
 */
export function mcpServersIn(json: unknown): ForeignServers | undefined {
  const { mcpServers, context_servers, servers, mcp } = recordOf(json)
  const places = [mcpServers, context_servers, servers, recordOf(mcp).servers].map(entriesOf)
  const alone = entriesOf(json)
  if (Array.isArray(json) || alone.every(([, value]) => isRecord(value))) places.push(alone)
  const isServer = (value: unknown) => {
    const { command, url } = inOneForm(recordOf(value))
    return stringOf(command) !== "" || url !== ""
  }
  return places.find((entries) => entries.some(([, value]) => isServer(value)))
}

function entriesOf(servers: unknown): ForeignServers {
  if (isRecord(servers)) return Object.entries(servers)
  return listOf(servers).map((server, at) => [isRecord(server) ? stringOf(server.name) : `entry ${at + 1}`, server])
}

/** With the environment. */
export interface ServersSource extends ImportSource {
  /** The environment, whose variables no server gets. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * A profile with the servers of the file, each with `reviewed = false`. Values of `env` and `headers` may be secrets, so they stay
 * where they are: the profile takes each from a variable of the environment that it alone has (L15).
 */
export function filesOfServers(servers: ForeignServers, { file, locale, env }: ServersSource): ImportedFiles {
  const report: string[] = []
  const taken = new Set<string>([...builtinToolNames, ...unsafeKeys])
  const tables = servers.flatMap(([given, server]) => {
    const say = (what: string): void => void report.push(`server ${JSON.stringify(given.slice(0, 60))}: ${what}`)
    const found = inOneForm(recordOf(server))
    const args = importedArguments(argsOf(found, say))
    const settings = settingsOf(found, args, say)
    if (settings === undefined) return []
    const name = uniqueName(given, taken)
    if (name !== given) say(`it is called ${name}, because its name begins the names of tools.`)
    return [tableOf({ name, settings, args, found, env, say })]
  })
  const id = characterId("mcp", file)
  const head = `# Servers of the Model Context Protocol. Another profile takes them with extends = "./${id}.toml".\n\nlocale = ${JSON.stringify(locale)}\n\n[agent]\nname = "MCP"\n`
  return {
    name: id,
    what: `Settings of MCP servers: profiles/${id}.toml has ${tables.length} of them. None is started or contacted before you allow it: read the file, then delete reviewed = false from each one that you want.`,
    files: new Map([[`profiles/${id}.toml`, [head, ...tables].join("\n")]]),
    report,
  }
}

/**
 * A server's settings under the names of `mcpServers`. An older Zed has the program's path, arguments and variables under `command`,
 * others have all under `transport`.
 */
function inOneForm({ serverUrl, enabled, transport, transportType, ...own }: Json): Json {
  const { type: kind, ...inside } = recordOf(transport)
  const server = { ...inside, ...own }
  const type = [server.type, kind, transport, transportType].map(stringOf).find((text) => text !== "") ?? ""
  const url = stringOf(server.url) || stringOf(serverUrl)
  const { path, args, env } = recordOf(server.command)
  const disabled = server.disabled === true || enabled === false
  return { ...server, type, url, disabled, ...(isRecord(server.command) ? { command: path, args, env } : {}) }
}

/** The arguments of a program; a number is one, too. */
function argsOf({ args }: Json, say: Say): readonly string[] {
  const given = listOf(args)
  const texts = given.flatMap((arg) => (typeof arg === "string" || typeof arg === "number" ? [String(arg)] : []))
  if (texts.length < given.length) say("args: what is no text is not taken.")
  return texts
}

type Say = (what: string) => void

/** Settings that are taken, or left out without a word. Any other one is told. */
const known = new Set(["command", "args", "env", "url", "headers", "disabled", "type", "cwd", "name", "source"])

/** The settings of a server without its secrets. Undefined, with a reason, for one that a profile cannot have. */
function settingsOf(found: Json, parts: readonly ImportedArgument[], say: Say): McpServerSettings | undefined {
  const [command, url, cwd] = [stringOf(found.command), stringOf(found.url), stringOf(found.cwd)]
  const args = parts.map(({ before, after }) => before + after)
  if (command === "" && url === "") return void say("it has neither command nor url.")
  if (command === "" && /^(?:http-?)?sse$/i.test(stringOf(found.type)))
    return void say("it speaks SSE, and only streamable HTTP is spoken here, so it is not taken.")
  const where = command === "" ? { url } : { command, ...(args.length === 0 ? {} : { args }) }
  const settings: McpServerSettings = {
    reviewed: false,
    ...where,
    ...(cwd === "" ? {} : { cwd }),
    ...(found.disabled === true ? { disabled: true } : {}),
  }
  try {
    checkServers({ server: settings })
  } catch (thrown) {
    if (!PromptStrataError.isInstance(thrown)) throw thrown
    return void say(`it is left out: ${thrown.message.replace(/^.*?: /, "")}`)
  }
  for (const [key, value] of Object.entries(settings))
    if (/\$\{|\$[A-Za-z_]/.test([value].flat().join("\n"))) say(`${key} names a variable, which is not filled in here.`)
  const left = args.filter((arg, at) => secret.test(arg) && !parts[at]?.secret && !parts[at + 1]?.secret)
  if (left.length > 0) say("an argument may be a secret; it stands in the file.")
  if (command !== "" && url !== "") say("its url is left out, because it has a command.")
  else if (secret.test(url)) say("its url may hold a secret; it stands in the file.")
  if (/\/sse\/?(?:[?#]|$)/.test(settings.url ?? "")) say("its url looks like one of SSE; only streamable HTTP is spoken here.")
  for (const name of Object.keys(found)) if (!known.has(name)) say(`${name.slice(0, 60)}: a profile has no such setting.`)
  return settings
}

const secret = /key|token|secret|password/i

interface ServerTable {
  readonly name: string
  readonly settings: McpServerSettings
  readonly args: readonly ImportedArgument[]
  readonly found: Json
  readonly env: ServersSource["env"]
  readonly say: Say
}

function tableOf({ name, settings, args, found, env, say }: ServerTable): string {
  const filled = args.map(({ before, secret: value, after }, at) => {
    const field = value && { server: name, settings, kind: "args" as const, field: value.field, value: value.value, at }
    return field ? `${before}\${${variableOf(field, { env, say })}}${after}` : before
  })
  const shown = settings.args === undefined ? settings : { ...settings, args: filled }
  const lines = Object.entries(shown).map(([key, value]) => `${key} = ${toml(value)}\n`)
  const fields = (kind: ImportedField["kind"]): string => {
    const values = Object.entries(recordOf(found[kind])).flatMap(([field, value]) => {
      const variable = variableOf({ server: name, settings, kind, field, value }, { env, say })
      return variable === undefined ? [] : [`${toml(field)} = ${toml(`\${${variable}}`)}\n`]
    })
    return values.length === 0 ? "" : `\n[mcp.servers.${name}.${kind}]\n${values.join("")}`
  }
  const about = "# Nobody has reviewed this server. Read what it runs or where it leads, then delete reviewed = false.\n"
  return `${about}[mcp.servers.${name}]\n${lines.join("")}${fields("env")}${fields("headers")}`
}

/** A value of TOML. It has the form of JSON's, without broken characters. */
function toml(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner)).replaceAll(
    "\u007f",
    "\\u007F",
  )
}

/** A name that a profile takes: a letter, then letters, digits, `_` and `-`, with room for a number within 32 characters (L16). */
function uniqueName(given: string, taken: Set<string>): string {
  const plain = given
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+|[-_]+$/g, "")
  const base = (/^\d/.test(plain) ? `server-${plain}` : plain || "server").slice(0, 28)
  let name = base
  for (let at = 2; taken.has(name); at++) name = `${base}-${at}`
  taken.add(name)
  return name
}

/** A value of a server's `env` or `headers`, or in its arguments, in another program's settings. */
interface ImportedField {
  /** The name that the server has in the profile. */
  readonly server: string
  readonly settings: McpServerSettings
  readonly kind: "env" | "headers" | "args"
  readonly field: string
  readonly value: unknown
  /** The place among the arguments. */
  readonly at?: number
}

/** Names that a program's environment and a request can have. */
const forms = { env: /^[A-Za-z_][A-Za-z0-9_.()-]*$/, headers: /^[\w!#$%&'*+.^`|~-]+$/, args: /^/ }
const kindWords = { env: "ENV", headers: "HEADER", args: "ARG" }

/**
 * The variable of the environment that stands for an imported value, and says what to set. Its end is a hash of the server's name,
 * of its program or address, and of the field, so that what a person sets for one of them never reaches another one. One that is
 * set already is not taken. Undefined for a field whose name cannot be used.
 */
function variableOf(
  { server, settings, kind, field, value, at: place }: ImportedField,
  { env, say }: { readonly env: Readonly<Record<string, string | undefined>>; say(what: string): void },
): string | undefined {
  const shown = `${kind}.${field.slice(0, 60)}`
  if (!forms[kind].test(field) || unsafeKeys.has(field)) {
    say(`${shown}: not taken, because ${kind === "env" ? "no variable" : "no header"} can have this name.`)
    return undefined
  }
  const { command, args, cwd, url } = settings
  const words = `PROMPTSTRATA_MCP_${server}_${kindWords[kind]}_${field.slice(0, 60)}`
  const hash = contentHash(
    new TextEncoder().encode(
      JSON.stringify([server, command, args, cwd, url, kind, field, ...(place === undefined ? [] : [place])]),
    ),
  ).slice(0, 16)
  const first = `${words.replace(/[^A-Za-z0-9]+/g, "_")}_${hash}`.toUpperCase()
  // Windows tells no cases apart.
  const set = new Set(Object.keys(env).map((name) => name.toUpperCase()))
  let variable = first
  for (let at = 2; set.has(variable); at++) variable = `${first}_${at}`
  const [, named] = /\$\{?(?:\w+:)?([A-Za-z_]\w*)/.exec(typeof value === "string" ? value : "") ?? []
  say(
    [
      `${shown}: its value was not copied; set ${variable} in the environment.`,
      ...(variable === first ? [] : [`${first} is there already and is not taken.`]),
      ...(named === undefined ? [] : [`The file names ${named.slice(0, 60)} there, which is not used.`]),
    ].join(" "),
  )
  return variable
}

/** An argument of a program. A secret in it is apart. */
interface ImportedArgument {
  readonly before: string
  readonly secret?: { readonly field: string; readonly value: string }
  readonly after: string
}

const secretName =
  /(?:^|[-_.])(?:\w*(?:token|secret|passw(?:or)?d|(?:api|access|auth|private)key)|(?:\w+[-_])?key|\w*auth|authorization|bearer|credentials?|cookies?|pat|pass|pw)$/i
const findSecrets = secretFinder([], {})

/** Takes apart the arguments of a program: values of headers and variables, what stands behind `--api-key`, and texts with the shape of a secret. */
function importedArguments(args: readonly string[]): readonly ImportedArgument[] {
  return args.map((arg, at) => {
    const [before, field, value] = secretOf(arg, args[at - 1] ?? "") ?? []
    if (before === undefined || !field || !value) return { before: arg, after: "" }
    return { before, secret: { field, value }, after: arg.slice(before.length + value.length) }
  })
}

/** Returns the text before a secret, its name, and the secret. */
function secretOf(arg: string, previous: string): readonly (string | undefined)[] | undefined {
  const flag = previous.replace(/^-+/, "")
  const isHeader = previous === "-H" || /^--headers?$/.test(previous)
  const [, before, name = "", value] = /^((?:--headers?=)?([\w-]+)\s*:\s*)([^/\s].*)$/s.exec(arg) ?? []
  if (value && (isHeader || arg.startsWith("--header") || secretName.test(name))) return [before, name, value]
  const [, start, option = "", given] = /^(-{0,2}([\w.-]+)=)(.+)$/s.exec(arg) ?? []
  if (given && (secretName.test(option) || previous === "-e" || previous === "--env")) return [start, option, given]
  if (previous.startsWith("-") && secretName.test(flag) && !arg.startsWith("-")) return ["", flag, arg]
  // A file that is imported may not ask for what a person sets for another server.
  if (/\$\{PROMPTSTRATA_MCP_/i.test(arg)) return ["", "value", arg]
  const [first, last] = [findSecrets(arg)[0], findSecrets(arg).at(-1)]
  return first && last && [arg.slice(0, first[0]), flag || "value", arg.slice(first[0], last[1])]
}
