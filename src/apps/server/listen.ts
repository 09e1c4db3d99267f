import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A handler of requests. It must not reject. */
type Handle = (request: Request) => Promise<Response>

/** Options of {@link listen}. */
export interface ListenOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** The longest time in which a request must have come as a whole. Default 60,000. */
  readonly requestMs?: number
  /** The longest time in which a client may read nothing of what waits for it. Default 60,000. */
  readonly stalledMs?: number
}

/** A server that listens. */
export interface ListeningServer {
  readonly port: number
  /** Takes no more connections. Resolves when all have ended; when `signal` aborts, they are cut. */
  close(signal: AbortSignal): Promise<void>
}

/** Answers HTTP requests with a handler of web requests. Rejects with Node's error if the port cannot be taken. */
export async function listen(handle: Handle, options: ListenOptions): Promise<ListeningServer> {
  const { host, port, requestMs = 60_000, stalledMs = 60_000 } = options
  const limits = { requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval: Math.min(requestMs, 5_000) }
  const server = createServer(limits, (incoming, outgoing) => {
    // A client that leaves is no error: `close` tells of it.
    outgoing.on("error", () => undefined)
    outgoing.once("finish", () => {
      // Reads the rest of a refused body, so that the client gets to read the refusal. `requestMs` bounds it.
      if (!incoming.complete) incoming.resume()
      if (!server.listening) incoming.socket.end()
    })
    void answer(handle, { incoming, outgoing, stalledMs })
  })
  server.listen({ host, port })
  await once(server, "listening")
  const closed = once(server, "close")
  return {
    port: (server.address() as AddressInfo).port,
    async close(signal) {
      if (server.listening) server.close()
      const cut = (): void => server.closeAllConnections()
      if (signal.aborted) cut()
      signal.addEventListener("abort", cut, { once: true })
      await closed
      signal.removeEventListener("abort", cut)
    },
  }
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly stalledMs: number
}

async function answer(handle: Handle, { incoming, outgoing, stalledMs }: Exchange): Promise<void> {
  const left = new AbortController()
  outgoing.once("close", () => left.abort())
  try {
    const response = await handle(requestOf(incoming, left.signal))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.flushHeaders()
    await write(response.body, { outgoing, left: left.signal, stalledMs })
  } catch {
    // The client wrote something that no Request can be made of, or the answer broke off.
    if (!outgoing.headersSent) outgoing.writeHead(400)
    else outgoing.destroy()
    outgoing.end()
  }
}

/** The request as a web request. Its host is left out of the URL: it is the client's word, and no route needs it. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", rawHeaders } = incoming
  if (!url.startsWith("/")) throw new Error("Expected a path.")
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "")
  const body = method === "GET" || method === "HEAD" ? null : bodyOf(incoming)
  return new Request(`http://localhost${url}`, { method, headers, signal, body, duplex: "half" } as RequestInit)
}

/** The body, read as it is asked for. A reader that wants no more of it leaves the connection open, so that it can be answered. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

interface Writing {
  readonly outgoing: ServerResponse
  readonly left: AbortSignal
  readonly stalledMs: number
}

/** Writes no faster than the client reads, and cuts the connection of one that has stopped reading. */
async function write(body: Response["body"], { outgoing, left, stalledMs }: Writing): Promise<void> {
  const reader = body?.getReader()
  const leave = (): void => void reader?.cancel().catch(() => undefined)
  if (left.aborted) leave()
  left.addEventListener("abort", leave, { once: true })
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    if (!outgoing.write(value)) await reads("drain", { outgoing, left, stalledMs })
  }
  outgoing.end()
  await reads("finish", { outgoing, left, stalledMs })
}

/** Resolves once the client has read what waits for it, or has left. */
async function reads(event: "drain" | "finish", { outgoing, left, stalledMs }: Writing): Promise<void> {
  if (left.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => outgoing.destroy(), stalledMs)
  outgoing.once(event, resolve)
  left.addEventListener("abort", () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
  outgoing.off(event, resolve)
}
