import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { Arrivals } from "./arrivals.ts"
import { picture } from "./picture.ts"

/** A message that the bot sent. */
interface SatoriMessage {
  readonly channel_id: string
  readonly content: string
}

export interface SatoriServer {
  readonly endpoint: string
  readonly sent: Arrivals<SatoriMessage>
  /** Tells the bot of an event. */
  dispatch(type: string, body: object): void
}

/** The package `ws` that the example installed, as far as it is used here. */
export interface WebSocketPackage {
  readonly WebSocketServer: new (options: {
    server: unknown
    path: string
  }) => {
    on(event: "connection", listener: (socket: Socket) => void): unknown
    readonly clients: ReadonlySet<Socket>
  }
}

interface Socket {
  on(event: "message", listener: (data: { toString(): string }) => void): unknown
  send(text: string): void
  close(code: number, reason: string): void
  terminate(): void
}

export const token = "secret"
const me = { id: "99", name: "Fay", is_bot: true }
const login = { sn: 1, platform: "onebot", adapter: "onebot", user: me, self_id: me.id, status: 1, features: [] }

/** The protocol Satori (version 1) on loopback, as a bridge to OneBot speaks it: login, pings, events, messages, and a file. */
export async function startSatori({ WebSocketServer }: WebSocketPackage): Promise<SatoriServer> {
  const sent = new Arrivals<SatoriMessage>()
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown, type = "application/json") =>
      response.writeHead(status, { "content-type": type }).end(body instanceof Buffer ? body : JSON.stringify(body))
    if (request.url === "/dot.png") return answer(200, picture, "image/png")
    if (request.headers.authorization !== `Bearer ${token}`) return answer(401, { message: "unauthorized" })
    const isOurs = request.headers["satori-platform"] === "onebot" && request.headers["satori-user-id"] === me.id
    if (request.url !== "/v1/message.create" || !isOurs) return answer(404, { message: "not found" })
    const message = JSON.parse(await textOf(request)) as SatoriMessage
    sent.add(message)
    return answer(200, [{ id: `${1_000 + sent.all.length}`, content: message.content }])
  })
  const gateway = new WebSocketServer({ server, path: "/v1/events" })
  gateway.on("connection", (socket) => {
    socket.on("message", (text) => {
      const { op, body } = JSON.parse(text.toString()) as { op: number; body: { token?: string } }
      if (op === 1) socket.send(JSON.stringify({ op: 2, body: {} }))
      if (op !== 3) return
      if (body.token !== token) return socket.close(4004, "invalid token")
      socket.send(JSON.stringify({ op: 4, body: { logins: [login], proxy_urls: [] } }))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(async () => {
    for (const socket of gateway.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  let sn = 0
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    dispatch: (type, body) => {
      const event = { sn: ++sn, type, timestamp: 1_700_000_000_000, self_id: me.id, platform: "onebot", login, ...body }
      for (const socket of gateway.clients) socket.send(JSON.stringify({ op: 0, body: event }))
    },
  }
}

/** Elements of a message, and the words by which the character knows them. */
export const elementWords = [
  ["one<br/>two", String.raw`one\ntwo`],
  [`<video src="v.mp4"/>`, "(sends a video)"],
  [`<face id="4" name="得意"/>hm`, "(sends a sticker 得意) hm"],
  [`<mface summary="[笑]"/>`, "(sends a sticker [笑])"],
  [`<location title="Tea house"/>`, "(sends a location Tea house)"],
  [`<json data="{}"/>`, "(sends a card)"],
  ["<message forward><message>I live in Rome.</message></message>", "(sends a forwarded message) I live in Rome."],
] as const

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}
