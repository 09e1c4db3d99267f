import type { Client } from "@modelcontextprotocol/client"
import { messageOf } from "../core/errors.ts"
import type { McpServerSettings } from "../profile/profile.ts"
import { answerRequests, capabilitiesFor } from "./answer-requests.ts"
import { anyResult } from "./any-result.ts"
import { orAborted } from "./deadline.ts"
import { openTransport, type ServerTransport } from "./open-transport.ts"
import { type PagesRead, readPages } from "./read-pages.ts"
import { shown } from "./shown.ts"
import type { Surroundings } from "./surroundings.ts"

/** A result as the server sent it. */
export type RawResult = Readonly<Record<string, unknown>>

/** How far a call has come, as the server says. */
export interface RawProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** What a request is made with. */
export interface RequestOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: RawProgress) => void
}

/** One connection to a server, from its handshake to its end. */
export interface Link {
  readonly kind: ServerTransport["kind"]
  readonly pid?: number
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Rejects as soon as the signal aborts, and tells the server so; rejects when the connection ends. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<RawResult>
  /** A list of the server's, as far as it can be read. */
  list(kind: "tools" | "resources" | "prompts", signal: AbortSignal): Promise<PagesRead>
  close(): Promise<void>
}

/** What a link tells while it is open. */
export interface LinkEvents {
  /** It is being opened; hands over what reads its standard error, then and later. */
  readonly onStart: (stderr: () => string) => void
  /** The connection has ended without being asked to. */
  readonly onEnd: () => void
  readonly onToolsChanged: () => void
}

/** The library would give up on its own; the turn's limits decide that. */
const noTimeoutMs = 2_147_483_647

/** Opens a connection and shakes hands; rejects with whatever keeps it from being used, and leaves nothing running then. */
export async function openLink(
  server: string,
  settings: McpServerSettings,
  {
    surroundings,
    events,
    signal,
  }: { readonly surroundings: Surroundings; readonly events: LinkEvents; readonly signal: AbortSignal },
): Promise<Link> {
  const { Client } = await surroundings.library.client()
  const way = await openTransport(settings, surroundings)
  const stderr = (): string => way.stderr?.read() ?? ""
  events.onStart(stderr)
  const client = new Client({ name: "promptstrata", version: "1" }, { capabilities: capabilitiesFor(surroundings) })
  answerRequests(client, server, surroundings)
  client.setNotificationHandler("notifications/tools/list_changed", events.onToolsChanged)
  let isOpen = false
  client.onclose = () => {
    if (isOpen) events.onEnd()
    isOpen = false
  }
  client.onerror = (error) => {
    if (isOpen && isBroken(error)) client.close().catch(() => undefined)
  }
  try {
    await orAborted(client.connect(way.transport, { signal, timeout: noTimeoutMs }), signal)
  } catch (error) {
    // The library closes what it could not connect, but waits for nothing and lets a stubborn program live.
    if (way.kind === "stdio") way.kill()
    await closeWay(client, way)
    throw new Error(`${messageOf(error)}${lastWords(stderr())}`, { cause: error })
  }
  isOpen = true
  return linkOver(client, way, () => {
    isOpen = false
  })
}

function linkOver(client: Client, way: ServerTransport, forget: () => void): Link {
  const request: Link["request"] = (method, params, { signal, onProgress }) => {
    const options = { signal, timeout: noTimeoutMs, ...(onProgress ? { onprogress: onProgress } : {}) }
    return client.request({ method, params: { ...params } }, anyResult, options)
  }
  const pid = way.kind === "stdio" ? way.transport.pid : null
  return {
    kind: way.kind,
    ...(pid === null ? {} : { pid }),
    capabilities: { ...client.getServerCapabilities() },
    request,
    list: (kind, signal) =>
      readPages(kind, (cursor) => request(`${kind}/list`, cursor === undefined ? {} : { cursor }, { signal })),
    async close() {
      forget()
      await closeWay(client, way)
    },
  }
}

/** A server over HTTP keeps its session until it is told. */
async function closeWay(client: Client, way: ServerTransport): Promise<void> {
  if (way.kind === "http" && way.transport.sessionId !== undefined) {
    await Promise.race([way.transport.terminateSession().catch(() => undefined), shortly()])
  }
  await client.close().catch(() => undefined)
  await way.transport.close().catch(() => undefined)
}

/** Nobody waits long for a goodbye. */
function shortly(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1_000).unref()
  })
}

/** A program that cannot start says why on its standard error, mostly in the end. */
function lastWords(stderr: string): string {
  const words = stderr.trim().split("\n").at(-1)?.trim() ?? ""
  return words === "" ? "" : `; the last it wrote is ${JSON.stringify(shown(words))}`
}

/** Its program can hold the pipe open, as a child's, long after it has gone. */
function isBroken(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ERR_STREAM_WRITE_AFTER_END"
}
