import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate as nextTurn } from "node:timers/promises"

/** One scripted answer of the server. */
export interface ChatReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The body goes out in pieces of this many bytes, each an HTTP chunk of its own. Default: in one. */
  readonly packetBytes?: number
  /** After the body: close properly, destroy the connection, or keep silent until the client leaves. Default `end`. */
  readonly ending?: "end" | "cut" | "stall"
  /** Keep silent before the status line until the client leaves. */
  readonly stallFirst?: boolean
  /** Keep silent before the status line until this resolves. */
  readonly after?: Promise<void>
}

/** What the server was asked. */
interface ChatCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
  /** Resolves when the connection of this call is gone. */
  readonly closed: Promise<void>
}

export interface ChatServer {
  readonly baseUrl: string
  readonly calls: readonly ChatCall[]
  /** Resolves once that many calls have come in. */
  called(count: number): Promise<void>
  reply(...replies: readonly ChatReply[]): void
  close(): Promise<void>
}

/** The chunks as an event stream; strings are sent as they are. */
export function eventStream(chunks: readonly unknown[], { done = true } = {}): string {
  const data = chunks.map((chunk) => (typeof chunk === "string" ? chunk : JSON.stringify(chunk)))
  return [...data, ...(done ? ["[DONE]"] : [])].map((line) => `data: ${line}\n\n`).join("")
}

/** A chunk with one choice. */
export function chatChunk(delta: unknown, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null, ...more }] }
}

/** A real HTTP server on this machine that answers chat completions as scripted, in order. */
export async function startChatServer(...replies: readonly ChatReply[]): Promise<ChatServer> {
  const queue = [...replies]
  const calls: ChatCall[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    void receive(request).then((call) => {
      calls.push(call)
      for (const check of waiting) check()
      return answer(response, queue.shift() ?? { status: 500, body: "the script of the test server is over" })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    called: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (calls.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    reply: (...more) => void queue.push(...more),
    close: () => closed(server),
  }
}

async function receive(request: IncomingMessage): Promise<ChatCall> {
  const closed = new Promise<void>((resolve) => request.socket.once("close", () => resolve()))
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const body = JSON.parse(Buffer.concat(pieces).toString() || "{}") as Record<string, unknown>
  return { path: request.url ?? "", headers: request.headers, body, closed }
}

async function answer(response: ServerResponse, reply: ChatReply): Promise<void> {
  if (reply.stallFirst) return
  await reply.after
  response.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers })
  const bytes = Buffer.from(reply.body ?? "")
  const size = reply.packetBytes ?? Math.max(1, bytes.length)
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size))
    if (at % (64 * size) === 0) await nextTurn()
  }
  if (reply.ending === "stall") response.flushHeaders()
  else if (reply.ending === "cut") response.write("", () => response.destroy())
  else response.end()
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
