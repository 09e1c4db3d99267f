import { createHash } from "node:crypto"
import { checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { describeProblem, wrongValues } from "../../profile/check-keys.ts"
import { mcpServer } from "../../profile/keys/mcp.ts"
import type { McpServerSettings } from "../../profile/profile.ts"
import { safeLine } from "./warnings.ts"

/** Throws `mcp` for the first server whose name or settings cannot be used. `reserved` are the names of the agent's own tools. */
export function checkServers(servers: Readonly<Record<string, McpServerSettings>>, reserved: readonly string[] = []): void {
  for (const [name, settings] of Object.entries(servers)) {
    checkType(`the MCP server ${name}`, settings, "object")
    const problem = nameProblem(name, reserved) ?? settingsProblem(settings) ?? wrongKey(settings)
    if (problem === undefined) continue
    throw new PromptStrataError("mcp", `MCP server ${JSON.stringify(name)}: ${problem}`, { evidence: { server: name } })
  }
}

/** TypeScript checks settings from code, but not those that a program reads from somewhere, such as an `mcp.json`. */
function wrongKey(settings: McpServerSettings): string | undefined {
  const [problem] = wrongValues(mcpServer.type, settings)
  return problem && describeProblem(problem)
}

function nameProblem(name: string, reserved: readonly string[]): string | undefined {
  if (!/^[a-zA-Z_][a-zA-Z0-9_-]{0,31}$/.test(name)) {
    return "expected a name of a letter or _, then up to 31 letters, digits, _ or -; it stands before the dot in its tools' names."
  }
  return reserved.includes(name) ? "expected a name that no tool of the agent's own has; choose another." : undefined
}

function settingsProblem({ command, url, timeoutMs, startTimeoutMs }: McpServerSettings): string | undefined {
  if ((command === undefined) === (url === undefined)) return "expected either command (a program) or url (an address)."
  if (typeof command === "string" && command.trim() === "") return "expected a program in command, found nothing."
  for (const [key, value] of Object.entries({ timeoutMs, startTimeoutMs })) {
    if (value !== undefined && !(value > 0)) return `expected ${key} above 0, found ${value}.`
  }
  return url === undefined ? undefined : urlProblem(url)
}

function urlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return `expected a URL such as https://example.org/mcp, found ${JSON.stringify(url)}.`
  const { protocol, username, password } = new URL(url)
  if (protocol !== "http:" && protocol !== "https:")
    return `expected a URL that begins with http:// or https://, found ${protocol}//.`
  if (username !== "" || password !== "") return "expected a URL without a name and password in it; put them into headers."
  return undefined
}

/** Says where a server leads, in one line that is safe for a terminal. Values of variables and the query of an address may be secret and are left out. */
export function destinationOf({ command, args = [], cwd, env = {}, passEnv = [], url }: McpServerSettings): string {
  const variables = [...Object.keys(env), ...passEnv].map(safeLine).join(", ")
  const given = variables === "" ? "" : ` with the variables ${variables}`
  if (url === undefined)
    return `runs ${safeLine(JSON.stringify([command, ...args]))}${cwd === undefined ? "" : ` in ${safeLine(cwd)}`}${given}`
  const { origin, pathname, search } = new URL(url)
  return `leads to ${safeLine(`${origin}${pathname}`)}${search === "" ? "" : "?…"}`
}

/** Returns a hash of what a server runs, with which variables, or where it leads: an approval counts for this alone (L17). */
export function programOf(
  { command, args = [], cwd, url, env = {}, passEnv }: McpServerSettings,
  version: string | undefined,
): string {
  const variables = [...Object.entries(env), ...(passEnv ?? []).map((name) => [name])].sort()
  const parts = [command, args, cwd, url, version, ...(variables.length > 0 ? [variables] : [])].map((part) => part ?? null)
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex")
}

/** Makes a function that is true for the tools that `allow` names (all without it) and `deny` does not. */
export function toolFilter({ allow, deny = [] }: Pick<McpServerSettings, "allow" | "deny">): (tool: string) => boolean {
  return (tool) =>
    (allow === undefined || allow.some((pattern) => matches(pattern, tool))) && !deny.some((pattern) => matches(pattern, tool))
}

/** `*` stands for any characters. The pieces between are searched in order, which is fast for every pattern. */
function matches(pattern: string, name: string): boolean {
  const pieces = pattern.split("*")
  const [head = "", ...rest] = pieces
  const tail = rest.pop()
  if (tail === undefined) return name === pattern
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false
  let at = head.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= name.length - tail.length
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Fills `${NAME}` in the values from the environment. Throws `mcp` with the name of the first variable that is not set. */
export function fillVariables(values: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, text]) => [key, fillForm(key, text, env, /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)]),
  )
}

/** Fills what `form` finds in a text, as {@link fillVariables} does. */
export function fillForm(key: string, text: string, env: Environment, form: RegExp): string {
  return text.replace(form, (_, name: string) => env[name] ?? missing(key, name))
}

function missing(key: string, name: string): never {
  throw new PromptStrataError("mcp", `${key} needs the environment variable ${name}, which is not set.`, {
    hint: `Set ${name}, or write the value into the profile if it is no secret.`,
    evidence: { key, variable: name },
  })
}

/** Returns those of the named variables that are set. */
export function pickVariables(names: readonly string[], env: Environment): Record<string, string> {
  const all = names.map((name) => [name, env[name]] as const)
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
