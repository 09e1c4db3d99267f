import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

type Json = Readonly<Record<string, unknown>>

/** A server over streamable HTTP in this process, for one test. */
export interface FakeHttpServer {
  readonly url: string
  /** Headers of every request, oldest first. */
  readonly requests: readonly { readonly method: string; readonly headers: IncomingMessage["headers"]; readonly rpc?: string }[]
  /** Forgets every session, as a server that was started anew. */
  forget(status?: number): void
  /** Answers every request with a status from now on, and without one as before. */
  refuse(status?: number, body?: string): void
  /** Answers requests of one method with a status, and lets all others through. */
  refuseOnly(method: string, status: number): void
  /** Stops listening and cuts every connection. */
  stop(): Promise<void>
  /** Listens again at the same address. */
  again(): Promise<void>
}

const tool = (name: string): Json => ({ name, inputSchema: { type: "object" } })
const text = (words: string): Json => ({ content: [{ type: "text", text: words }] })

/** Starts one; it ends with its test. */
export async function fakeHttpServer(): Promise<FakeHttpServer> {
  const fake = new Fake()
  await fake.listen(0)
  onTestFinished(() => fake.stop())
  return {
    get url() {
      return `http://127.0.0.1:${fake.port}/mcp`
    },
    requests: fake.requests,
    forget: (status = 404) => {
      fake.sessions.clear()
      fake.unknownStatus = status
    },
    refuse: (status, body = "") => {
      fake.refusal = status === undefined ? undefined : { status, body }
    },
    refuseOnly: (method, status) => {
      fake.refusal = { status, body: "", method }
    },
    stop: () => fake.stop(),
    again: () => fake.listen(fake.port),
  }
}

class Fake {
  readonly requests: { readonly method: string; readonly headers: IncomingMessage["headers"]; readonly rpc?: string }[] = []
  readonly sessions = new Set<string>()
  unknownStatus = 404
  refusal: { readonly status: number; readonly body: string; readonly method?: string } | undefined
  port = 0
  #server: Server | undefined
  /** The answer to a call whose stream was closed before it came. */
  #late: string | undefined
  #ids = 0

  async listen(port: number): Promise<void> {
    this.#server = createServer((request, response) => void this.#serve(request, response))
    await new Promise<void>((resolve) => this.#server?.listen(port, "127.0.0.1", resolve))
    this.port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ""
    for await (const chunk of request) body += String(chunk)
    const message = (body === "" ? {} : JSON.parse(body)) as Json & { readonly method?: string }
    const { method = "", headers } = request
    this.requests.push({ method, headers, ...(message.method === undefined ? {} : { rpc: message.method }) })
    if (this.refusal && (this.refusal.method ?? message.method) === message.method)
      return void response.writeHead(this.refusal.status).end(this.refusal.body)
    const session = String(headers["mcp-session-id"] ?? "")
    if (message.method !== "initialize" && !this.sessions.has(session))
      return void response.writeHead(this.unknownStatus).end("no session")
    if (method === "DELETE") return void response.writeHead(200).end()
    if (method === "GET") return this.#resume(String(headers["last-event-id"] ?? ""), response)
    if (message.id === undefined) return void response.writeHead(202).end()
    this.#answer(message, response)
  }

  #answer({ id, method, params }: Json, response: ServerResponse): void {
    const { protocolVersion, name, arguments: args } = (params ?? {}) as Json
    const json = (result: Json): void => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }))
    }
    if (method === "initialize") {
      const session = `s${++this.#ids}`
      this.sessions.add(session)
      response.setHeader("mcp-session-id", session)
      json({
        protocolVersion,
        serverInfo: { name: "fake", version: "1" },
        capabilities: { tools: {}, resources: {}, prompts: {} },
      })
    } else if (method === "tools/list") json({ tools: ["echo", "late", "huge", "endless"].map(tool) })
    else if (name === "huge") json(text("x".repeat(11 * 1024 * 1024)))
    else if (name === "late") this.#closeEarly(id, response)
    else if (name === "endless") {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${"x".repeat(11 * 1024 * 1024)}\n\n`)
    } else json(text(String((args as Json | undefined)?.text ?? "")))
  }

  /** Says where to take up again and when, then hangs up; the answer waits. */
  #closeEarly(id: unknown, response: ServerResponse): void {
    this.#late = JSON.stringify({ jsonrpc: "2.0", id, result: text("after all") })
    response.writeHead(200, { "content-type": "text/event-stream" }).end("id: e1\nretry: 10\ndata: \n\n")
  }

  #resume(lastEventId: string, response: ServerResponse): void {
    if (lastEventId !== "e1") return void response.writeHead(405).end()
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`id: e2\nevent: message\ndata: ${this.#late}\n\n`)
  }
}
