import { defaultPorts } from "../agent/agent-store.ts"
import type { Ports } from "../core/ports.ts"
import { type ClientLibrary, clientLibrary } from "./client-library.ts"
import type { Environment } from "./fill-variables.ts"
import type { McpOptions, McpWarning } from "./options.ts"
import { type McpWords, mcpWords } from "./words.ts"

/** What all servers of a connection share: options with their defaults filled in. */
export interface Surroundings {
  readonly library: ClientLibrary
  readonly env: Environment
  readonly words: McpWords
  readonly ports: Pick<Ports, "clock" | "timers" | "random">
  readonly warn: (warning: McpWarning) => void
  readonly elicit?: McpOptions["elicit"]
  readonly sample?: McpOptions["sample"]
}

/** The options' own, and defaults for the rest. */
export function surroundingsOf(options: McpOptions): Surroundings {
  const { locale = "en", prompts, ports, elicit, sample } = options
  return {
    library: options.library ?? clientLibrary,
    env: options.env ?? process.env,
    words: mcpWords(locale, prompts),
    ports: { ...defaultPorts, ...ports },
    warn: unthrowing(options.onWarning ?? warnOnConsole),
    ...(elicit ? { elicit } : {}),
    ...(sample ? { sample } : {}),
  }
}

function warnOnConsole({ server, message }: McpWarning): void {
  console.warn(`promptstrata: MCP server ${server}: ${message}`)
}

/** The same function where what it throws is only printed: it is called in the middle of what must go on. */
export function unthrowing<T>(tell: (told: T) => void): (told: T) => void {
  return (told) => {
    try {
      tell(told)
    } catch (error) {
      console.error(error)
    }
  }
}
