import { onTestFinished } from "vitest"
import { listen } from "../../../src/apps/server/listen.ts"
import { Arrivals } from "./arrivals.ts"

/** A call of a method of the Bot API that shows something in a chat. */
export interface TelegramCall {
  readonly method: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** An update without its number, such as `{ message: … }`. */
type Update = Readonly<Record<string, unknown>>

export interface TelegramServer {
  readonly url: string
  /** The messages, files and reactions that the bot sent; the sign of typing is left out. */
  readonly sent: Arrivals<TelegramCall>
  readonly typing: Arrivals<TelegramCall>
  /** The ids of the presses of buttons that the bot acknowledged. */
  readonly presses: readonly string[]
  /** Hands an update to the bot. */
  push(update: Update): void
  /** Refuses the next message that is sent, with the answer of the real server. */
  refuseNext(status: number, more: Readonly<Record<string, unknown>>): void
  /** Settles once every call of a bot that died is done. */
  settled(): Promise<void>
  /** A file that the bot can load by its id. */
  keep(fileId: string, bytes: Uint8Array): void
}

export const token = "12345:secret"
const me = {
  id: 12345,
  is_bot: true,
  first_name: "Fay",
  username: "fay_bot",
  can_join_groups: true,
  supports_inline_queries: false,
}
/** The usual updates, of a bot that names none in `allowed_updates`. */
const byDefault = ["message", "edited_message", "channel_post", "edited_channel_post", "callback_query", "my_chat_member"]

/**
 * The Bot API of Telegram on loopback: long polling with offsets, its limits, its errors, its multipart uploads and its files. `at` is
 * called before each call is done and before it is answered.
 */
export async function startTelegram({
  at = () => undefined,
}: {
  readonly at?: (method: string) => unknown
} = {}): Promise<TelegramServer> {
  const sent = new Arrivals<TelegramCall>()
  const typing = new Arrivals<TelegramCall>()
  const presses: string[] = []
  const updates = new Arrivals<Update>()
  const files = new Map<string, Uint8Array>()
  const refusals: Response[] = []
  const closing = new AbortController()
  const closed = new Promise<void>((resolve) => closing.signal.addEventListener("abort", () => resolve()))

  let confirmed = 0
  let allowed: readonly string[] = byDefault
  const getUpdates = async (fields: TelegramCall["fields"], signal: AbortSignal): Promise<readonly Update[]> => {
    confirmed = Math.max(confirmed, Number(fields.offset ?? 0) - 1)
    const named = fields.allowed_updates as readonly string[] | undefined
    // A poll that names none repeats the poll before it; an empty list stands for the usual ones.
    if (named) allowed = named.length > 0 ? named : byDefault
    const left = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
    for (;;) {
      const seen = updates.all.length
      const fresh = updates.all
        .map((update, at) => ({ update_id: at + 1, ...update }))
        .filter(({ update_id: id }) => id > confirmed)
      const wanted = fresh.filter((update) => Object.keys(update).some((kind) => allowed.includes(kind)))
      // A poll without a timeout is the farewell of a bot that ends: it confirms what was read.
      if (wanted.length > 0 || fields.timeout === undefined || signal.aborted || closing.signal.aborted) return wanted
      await Promise.race([updates.reach(seen + 1), left, closed])
    }
  }

  const methods: Readonly<Record<string, (fields: TelegramCall["fields"], signal: AbortSignal) => unknown>> = {
    getMe: () => me,
    deleteWebhook: () => true,
    getUpdates,
    getFile: ({ file_id: id }) => ({ file_id: id, file_unique_id: id, file_size: files.get(String(id))?.length, file_path: id }),
    answerCallbackQuery: ({ callback_query_id: id }) => presses.push(String(id)) > 0,
    setMyCommands: ({ commands }) => Array.isArray(commands),
    sendChatAction: (fields) => {
      typing.add({ method: "sendChatAction", fields })
      return true
    },
  }

  const call = async (method: string, request: Request): Promise<Response> => {
    const fields = await fieldsOf(request)
    const known = methods[method]
    if (known) return Response.json({ ok: true, result: await known(fields, request.signal) })
    if (!/^(?:send|edit|set|delete)/u.test(method)) return failure(404, "Not Found")
    const refusal = refusals.shift() ?? faultOf(method, fields)
    if (refusal) return refusal
    sent.add({ method, fields })
    const chat = { id: Number(fields.chat_id), type: "private", first_name: "Ann" }
    return Response.json({
      ok: true,
      result: { message_id: 1_000 + sent.all.length, date: 1, chat, from: me, text: fields.text },
    })
  }

  const calls = new Set<Promise<Response>>()
  const server = await listen(
    (request) => {
      const answered = answer(request)
      // A poll lasts until there is an update.
      if (!request.url.endsWith("/getUpdates")) calls.add(answered)
      void answered.catch(() => undefined).then(() => calls.delete(answered))
      return answered
    },
    { host: "127.0.0.1", port: 0 },
  )

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, kind, key, rest = ""] = /^(\/file)?\/bot([^/]+)\/(.+)$/u.exec(pathname) ?? []
    if (key !== token) return failure(401, "Unauthorized")
    const file = files.get(rest)
    if (kind) return file ? new Response(Buffer.from(file)) : failure(404, "Not Found")
    await at(rest)
    const done = await call(rest, request)
    await at(rest)
    return done
  }
  onTestFinished(async () => {
    closing.abort()
    await server.close(AbortSignal.abort())
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    sent,
    typing,
    presses,
    push: (update) => updates.add(update),
    refuseNext: (status, more) => void refusals.push(failure(status, "refused", more)),
    settled: async () => {
      // What a dead bot has sent already arrives within some turns of the event loop.
      for (let turn = 0; turn < 50; turn++) {
        await Promise.allSettled(calls)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    keep: (id, bytes) => void files.set(id, bytes),
  }
}

function failure(status: number, description: string, more: object = {}): Response {
  return Response.json({ ok: false, error_code: status, description, ...more }, { status })
}

function faultOf(method: string, { text, caption }: TelegramCall["fields"]): Response | undefined {
  if (method === "sendMessage" && (typeof text !== "string" || text.trim() === ""))
    return failure(400, "Bad Request: message text is empty")
  if (typeof text === "string" && text.length > 4096) return failure(400, "Bad Request: message is too long")
  return typeof caption === "string" && caption.length > 1024
    ? failure(400, "Bad Request: message caption is too long")
    : undefined
}

/** The fields of a call; a file that was uploaded stands in place of the name `attach://…` that refers to it. */
async function fieldsOf(request: Request): Promise<Readonly<Record<string, unknown>>> {
  if (request.method === "GET") return Object.fromEntries(new URL(request.url).searchParams)
  if (!request.headers.get("content-type")?.startsWith("multipart/")) return JSON.parse((await request.text()) || "{}")
  const form = await request.formData()
  const fields: Record<string, unknown> = {}
  for (const [name, value] of form) {
    const uploaded = typeof value === "string" && value.startsWith("attach://") ? form.get(value.slice(9)) : undefined
    if (uploaded instanceof File) fields[name] = { name: uploaded.name, text: await uploaded.text() }
    else if (typeof value === "string") fields[name] = value
  }
  return fields
}
