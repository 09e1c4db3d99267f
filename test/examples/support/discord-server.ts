import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { listen } from "../../../src/apps/server/listen.ts"
import { Arrivals } from "./arrivals.ts"
import { picture } from "./picture.ts"

/** A message that the bot sent. */
export interface DiscordMessage {
  readonly channel: string
  readonly content?: string
  readonly components?: readonly { readonly components: readonly { readonly label: string; readonly custom_id: string }[] }[]
  readonly message_reference?: { readonly message_id: string }
  /** The parts of an upload, by name. */
  readonly files: Readonly<Record<string, string>>
}

export interface DiscordServer {
  readonly api: string
  readonly sent: Arrivals<DiscordMessage>
  /** The channels in which the bot showed that it types. */
  readonly typing: Arrivals<string>
  /** The ids of the presses of buttons that the bot acknowledged. */
  readonly acknowledged: readonly string[]
  /** Tells the bot of an event. */
  dispatch(type: string, data: object): void
  /** Makes a picture that can be loaded, as a message's attachment is from Discord's own server of files. */
  keep(name: string): { readonly url: string }
  /** Refuses the next message, as the real server does when it gets too many. */
  limitNext(retryAfterSeconds: number): void
  /** Closes the connection with a code of the gateway. */
  hangUp(code: number): void
}

/** The package `ws` that the example installed, as far as it is used here. */
export interface WebSocketPackage {
  readonly WebSocketServer: new (options: {
    host: string
    port: number
  }) => {
    on(event: "connection", listener: (socket: Socket) => void): unknown
    once(event: "listening", listener: () => void): unknown
    address(): unknown
    close(): void
    readonly clients: ReadonlySet<Socket>
  }
}

interface Socket {
  on(event: "message", listener: (data: { toString(): string }) => void): unknown
  send(text: string): void
  close(code: number): void
  terminate(): void
}

export const token = "OTk.secret"
const bot = { id: "99", username: "fay", global_name: null, discriminator: "0", avatar: null, bot: true }
const guild = {
  ...{
    id: "500",
    name: "Tea",
    owner_id: "7",
    unavailable: false,
    large: false,
    member_count: 2,
    joined_at: "2026-01-01T00:00:00Z",
  },
  roles: [{ id: "500", name: "@everyone", permissions: "2251799813685247", position: 0, color: 0 }],
  channels: [{ id: "42", type: 0, name: "general", position: 0, permission_overwrites: [] }],
  members: [{ user: bot, roles: [], joined_at: "2026-01-01T00:00:00Z", deaf: false, mute: false, flags: 0 }],
  ...{ emojis: [], stickers: [], threads: [], presences: [], voice_states: [], stage_instances: [], features: [] },
}

/** Discord's REST API and gateway (version 10) on loopback: login, heartbeats, events, messages with files, limits and errors. */
export async function startDiscord({ WebSocketServer }: WebSocketPackage): Promise<DiscordServer> {
  const sent = new Arrivals<DiscordMessage>()
  const typing = new Arrivals<string>()
  const acknowledged: string[] = []
  const limits: number[] = []
  const gateway = new WebSocketServer({ host: "127.0.0.1", port: 0 })
  let sequence = 0
  const event = (type: string, data: object): string => JSON.stringify({ op: 0, t: type, s: ++sequence, d: data })
  const url = (): string => `ws://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  gateway.on("connection", (socket) => {
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }))
    socket.on("message", (text) => {
      const { op } = JSON.parse(text.toString()) as { op: number }
      if (op === 1) socket.send(JSON.stringify({ op: 11 }))
      if (op !== 2) return
      const application = { id: "99", flags: 0 }
      const known = { user: bot, guilds: [{ id: guild.id, unavailable: true }], application }
      socket.send(event("READY", { v: 10, ...known, session_id: "s", resume_gateway_url: url(), shard: [0, 1] }))
      socket.send(event("GUILD_CREATE", guild))
    })
  })
  await once(gateway as never, "listening")

  const rest = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname.replace("/api/v10", "")
    if (path.startsWith("/attachments/")) return new Response(picture, { headers: { "content-type": "image/png" } })
    const [, interaction] = /^\/interactions\/(\d+)\/t\/callback$/.exec(path) ?? []
    if (interaction !== undefined) {
      acknowledged.push(interaction)
      return new Response(null, { status: 204 })
    }
    if (request.headers.get("authorization") !== `Bot ${token}`)
      return Response.json({ message: "401: Unauthorized", code: 0 }, { status: 401 })
    const limit = { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 }
    if (path === "/gateway/bot") return Response.json({ url: url(), shards: 1, session_start_limit: limit })
    const [, asked] = /^\/channels\/(\d+)$/.exec(path) ?? []
    if (request.method === "GET" && asked !== undefined)
      return Response.json(guild.channels.find(({ id }) => id === asked) ?? { id: asked, type: 1, recipients: [] })
    const [, channel = "", what] = /^\/channels\/(\d+)\/(messages|typing)$/.exec(path) ?? []
    if (request.method !== "POST" || what === undefined)
      return Response.json({ message: "404: Not Found", code: 0 }, { status: 404 })
    if (what === "messages") return receive(channel, request)
    typing.add(channel)
    return new Response(null, { status: 204 })
  }

  const receive = async (channel: string, request: Request): Promise<Response> => {
    const retryAfter = limits.shift()
    if (retryAfter !== undefined) {
      const body = { message: "You are being rate limited.", retry_after: retryAfter, global: false }
      return Response.json(body, { status: 429, headers: { "retry-after": `${retryAfter}`, "x-ratelimit-scope": "user" } })
    }
    const message = await messageOf(channel, request)
    if ([...(message.content ?? "")].length > 2000)
      return Response.json({ code: 50035, message: "Invalid Form Body" }, { status: 400 })
    if (!message.content && Object.keys(message.files).length === 0)
      return Response.json({ code: 50006, message: "Cannot send an empty message" }, { status: 400 })
    sent.add(message)
    return Response.json(messageData({ id: `${1_000 + sent.all.length}`, channel_id: channel, author: bot, content: "" }))
  }

  const server = await listen(rest, { host: "127.0.0.1", port: 0 })
  onTestFinished(async () => {
    for (const socket of gateway.clients) socket.terminate()
    gateway.close()
    await server.close(AbortSignal.abort())
  })
  return {
    api: `http://127.0.0.1:${server.port}/api`,
    sent,
    typing,
    acknowledged,
    dispatch: (type, data) => {
      for (const socket of gateway.clients) socket.send(event(type, data))
    },
    keep: (name) => ({ url: `http://127.0.0.1:${server.port}/attachments/${name}` }),
    hangUp: (code) => {
      for (const socket of gateway.clients) socket.close(code)
    },
    limitNext: (seconds) => void limits.push(seconds),
  }
}

/** A message as the server tells of it. */
export function messageData(known: object): object {
  return {
    ...{
      timestamp: "2026-01-01T00:00:00.000Z",
      edited_timestamp: null,
      tts: false,
      mention_everyone: false,
      pinned: false,
      type: 0,
    },
    ...{ mentions: [], mention_roles: [], attachments: [], embeds: [] },
    ...known,
  }
}

async function messageOf(channel: string, request: Request): Promise<DiscordMessage> {
  if (!request.headers.get("content-type")?.startsWith("multipart/"))
    return { channel, files: {}, ...(JSON.parse((await request.text()) || "{}") as object) }
  const form = await request.formData()
  const files: Record<string, string> = {}
  for (const value of form.values()) if (value instanceof File) files[value.name] = await value.text()
  return { channel, files, ...(JSON.parse(String(form.get("payload_json") ?? "{}")) as object) }
}
