import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { McpServerSettings } from "../profile/profile.ts"
import { boundedFetch } from "./bounded-fetch.ts"
import { fillVariables, pickVariables } from "./fill-variables.ts"
import type { Surroundings } from "./surroundings.ts"
import { createTextTail, type TextTail } from "./text-tail.ts"

/** The way to a server, not yet open. */
export type ServerTransport =
  | {
      readonly kind: "stdio"
      readonly transport: StdioClientTransport
      readonly stderr: TextTail
      /** Ends the program at once, if it was started and has not ended. */
      readonly kill: () => void
    }
  | { readonly kind: "http"; readonly transport: StreamableHTTPClientTransport; readonly stderr: undefined }

const maxStderrCharacters = 8_000

/** Longer messages close the connection. */
const maxMessageBytes = 10 * 1024 * 1024

/** Makes the transport that the settings name; throws `mcp` for a variable that is not set and `missing-dependency`. */
export function openTransport(settings: McpServerSettings, surroundings: Surroundings): Promise<ServerTransport> {
  return settings.url === undefined ? openStdio(settings, surroundings) : openHttp(settings.url, settings, surroundings)
}

/** The program gets PATH, HOME and their like from the library, and nothing else that is not listed. */
async function openStdio(settings: McpServerSettings, { library, env }: Surroundings): Promise<ServerTransport> {
  const { command = "", args = [], cwd, passEnv = [] } = settings
  const own = { ...pickVariables(passEnv, env), ...fillVariables(settings.env ?? {}, env) }
  const { StdioClientTransport } = await library.stdio()
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: own,
    stderr: "pipe",
    maxBufferSize: maxMessageBytes,
    ...(cwd === undefined ? {} : { cwd }),
  })
  const stderr = createTextTail(maxStderrCharacters)
  transport.stderr?.on("data", (chunk: Uint8Array) => stderr.push(String(chunk)))
  transport.stderr?.on("error", () => undefined)
  return { kind: "stdio", transport, stderr, kill: killer(transport) }
}

/** Once the library has begun to close a transport, it no longer says which process that was. */
function killer(transport: StdioClientTransport): () => void {
  let pid: number | null = null
  const start = transport.start.bind(transport)
  transport.onclose = () => {
    pid = null
  }
  transport.start = async () => {
    await start()
    pid = transport.pid
  }
  return () => {
    if (pid === null) return
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It has ended by itself.
    }
  }
}

async function openHttp(
  url: string,
  settings: McpServerSettings,
  { library, env, ports }: Surroundings,
): Promise<ServerTransport> {
  const headers = fillVariables(settings.headers ?? {}, env)
  const { StreamableHTTPClientTransport } = await library.client()
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: boundedFetch(maxMessageBytes),
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 5,
    },
    reconnectionScheduler: (reconnect, delayMs) => {
      // A server chooses the delay; what it asks for stays within what a timer can hold.
      const handle = ports.timers.set(reconnect, Math.min(Math.max(delayMs, 0), 300_000))
      return () => ports.timers.clear(handle)
    },
  })
  return { kind: "http", transport, stderr: undefined }
}
