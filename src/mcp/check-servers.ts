import { PromptStrataError } from "../core/errors.ts"
import type { McpServerSettings } from "../profile/profile.ts"

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_-]{0,31}$/

/** Throws `mcp` for the first server whose name or settings cannot be used. `reserved` are names that tools of the agent's own have. */
export function checkServers(servers: Readonly<Record<string, McpServerSettings>>, reserved: readonly string[] = []): void {
  for (const [name, settings] of Object.entries(servers)) {
    const problem = nameProblem(name, reserved) ?? settingsProblem(settings)
    if (problem === undefined) continue
    throw new PromptStrataError("mcp", `MCP server ${JSON.stringify(name)}: ${problem}`, { evidence: { server: name } })
  }
}

function nameProblem(name: string, reserved: readonly string[]): string | undefined {
  if (!namePattern.test(name)) {
    return "expected a name of a letter or _, then up to 31 letters, digits, _ or -; it stands before the dot in its tools' names."
  }
  return reserved.includes(name) ? "expected a name that no tool of the agent's own has; choose another." : undefined
}

function settingsProblem({ command, url, timeoutMs, startTimeoutMs }: McpServerSettings): string | undefined {
  if ((command === undefined) === (url === undefined)) return "expected either command (a program) or url (an address)."
  if (command !== undefined && command.trim() === "") return "expected a program in command, found nothing."
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
