import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { McpServerSettings } from "../../profile/profile.ts"
import type { ResolvedOptions } from "./options.ts"
import { fillForm, fillVariables, pickVariables } from "./server-settings.ts"

/** The transport to a server, not yet open. */
export type ServerTransport =
  | {
      readonly kind: "stdio"
      readonly transport: StdioClientTransport
      /** Returns the end of the program's standard error. */
      readonly stderr: () => string
      /** Ends the program at once if it is running. */
      readonly kill: () => void
    }
  | { readonly kind: "http"; readonly transport: StreamableHTTPClientTransport; readonly stderr: () => string }

/** A variable that an import of other programs' settings invented. Any other stays as it is in an argument, which may be a script. */
const importedVariable = /\$\{(PROMPTSTRATA_MCP_[A-Z0-9_]+)\}/g

/** A longer message closes the connection. */
const maxMessageBytes = 10 * 1024 * 1024

/** Makes the transport that the settings name. Throws `mcp` for a variable that is not set and `missing-dependency`. */
export function createTransport(settings: McpServerSettings, options: ResolvedOptions): Promise<ServerTransport> {
  return settings.url === undefined ? stdioTransport(settings, options) : httpTransport(settings.url, settings, options)
}

/** The library passes on PATH, HOME and a few other variables. The program gets no other that is not listed. */
async function stdioTransport(settings: McpServerSettings, { library, env }: ResolvedOptions): Promise<ServerTransport> {
  const { command = "", args = [], cwd, passEnv = [] } = settings
  const programEnv = { ...pickVariables(passEnv, env), ...fillVariables(settings.env ?? {}, env) }
  const { StdioClientTransport } = await library.stdio()
  const transport = new StdioClientTransport({
    command,
    args: args.map((arg) => fillForm("args", arg, env, importedVariable)),
    env: programEnv,
    stderr: "pipe",
    maxBufferSize: maxMessageBytes,
    ...(cwd === undefined ? {} : { cwd }),
  })
  const stderr = createTextTail(8_000)
  transport.stderr?.on("data", (chunk: Uint8Array) => stderr.push(String(chunk)))
  transport.stderr?.on("error", () => undefined)
  return { kind: "stdio", transport, stderr: stderr.read, kill: killer(transport) }
}

/** Remembers the process id, which the library forgets when it begins to close a transport. */
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
      // The program has ended by itself.
    }
  }
}

async function httpTransport(
  url: string,
  settings: McpServerSettings,
  { library, env, ports }: ResolvedOptions,
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
      // The server chooses the delay, which must stay within the range of a timer.
      const handle = ports.timers.set(reconnect, Math.min(Math.max(delayMs, 0), 300_000))
      return () => ports.timers.clear(handle)
    },
  })
  return { kind: "http", transport, stderr: () => "" }
}

/** Keeps the last `maxCharacters` of a stream, in time proportional to its length. */
export function createTextTail(maxCharacters: number) {
  let text = ""
  return {
    push(chunk: string): void {
      text += chunk
      if (text.length > 2 * maxCharacters) text = text.slice(-maxCharacters)
    },
    read: (): string => text.slice(-maxCharacters),
  }
}

const lineFeed = 10

/**
 * Makes a `fetch` whose answer fails at a message of more than `maxBytes`. A message is a whole body, or the text between blank
 * lines of an event stream.
 */
export function boundedFetch(maxBytes: number, fetchIt: typeof fetch = fetch): typeof fetch {
  return async (url, init) => {
    const response = await fetchIt(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    const body = response.body.pipeThrough(limit(maxBytes, isStream))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

function limit(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      const lastBlank = isStream ? lastBlankLine(chunk) : -1
      bytes = lastBlank < 0 ? bytes + chunk.length : chunk.length - lastBlank
      if (bytes > maxBytes) controller.error(new Error(`a message of more than ${maxBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
}

/** Returns the offset of the last blank line in a chunk, or -1. Missing one across two chunks only makes the limit stricter. */
function lastBlankLine(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at--) {
    if (chunk[at] === lineFeed && (chunk[at - 1] === lineFeed || (chunk[at - 1] === 13 && chunk[at - 2] === lineFeed))) return at
  }
  return -1
}
