import { PromptStrataError } from "../../../core/errors.ts"
import { type BotOptions, type ConnectedBot, createBot, type PlatformOptions } from "../create-bot.ts"
import type { BotMedia } from "../media-words.ts"
import type { ChatMember } from "../mentions.ts"

/** The package `koishi`, as far as it is used here. */
interface Koishi {
  readonly h: KoishiElements
  readonly Loader: new () => {
    writable: boolean
    init(config: string): Promise<unknown>
    readConfig(isFirst: boolean): Promise<unknown>
    createApp(): Promise<KoishiApp>
  }
}

interface KoishiElements {
  escape(text: string): string
  select(elements: readonly KoishiElement[], types: string): readonly KoishiElement[]
  file(bytes: Uint8Array, mediaType: string, more: object): unknown
}

interface KoishiApp {
  readonly bots: readonly { readonly platform: string; sendMessage(channel: string, content: unknown): unknown }[]
  readonly registry: { values(): Iterable<{ readonly name: string }> }
  middleware(take: (session: KoishiSession, next: () => unknown) => unknown): unknown
  on(event: "message-updated", take: (session: KoishiSession) => unknown): unknown
  start(): Promise<unknown>
  parallel(event: "exit", signal: string): Promise<unknown>
}

type KoishiElement = { readonly type: string; readonly attrs: Readonly<Record<string, string>> }
type KoishiUser = { readonly id?: string; readonly name?: string; readonly nick?: string; readonly isBot?: boolean }
type KoishiSession = { readonly [Name in "type" | "platform" | "selfId" | "channelId" | "userId" | "messageId"]: string } & {
  readonly isDirect: boolean
  readonly author?: KoishiUser
  readonly elements?: readonly KoishiElement[]
  readonly quote?: { readonly user?: KoishiUser }
}

/**
 * Starts Koishi as its own program does, with the plugins of the file `config`, and makes a character that answers at all of its
 * platforms, behind Koishi's commands. A conversation is `PLATFORM:CHANNEL`, a person `PLATFORM:USER`.
 */
export async function connectKoishi(koishi: Koishi, options: PlatformOptions, config: string): Promise<ConnectedBot> {
  const loader = new koishi.Loader()
  await loader.init(config)
  // Koishi would write both files anew: the configuration without its comments, and the folder's package.json with packages of its own.
  const { writable } = loader
  Object.assign(loader, { writable: false, migrate: () => Promise.resolve() })
  await loader.readConfig(true)
  loader.writable = writable
  const app = await loader.createApp()
  if (Array.from(app.registry.values(), ({ name }) => name).includes("promptstrata"))
    throw new PromptStrataError("usage", `the plugin promptstrata is on in ${config}, so that two would answer`)
  const { token: _, api: __, operators, onError, ...own } = options
  const { agent, locale } = own.profile
  const chat: BotOptions["chat"] = ({ conversation }) => {
    const [platform, channel = ""] = conversation.split(/:(.*)/s)
    const send = async (content: unknown) => {
      const account = app.bots.find((one) => one.platform === platform)
      if (account) return account.sendMessage(channel, content)
      throw new PromptStrataError("usage", `${platform} is not connected, so that nothing can be sent to ${channel}.`)
    }
    return {
      ...{ limit: 2000, locale, operators, onError },
      sendText: (text) => send(koishi.h.escape(text)),
      sendFile: ({ path: title, mediaType, base64 }) =>
        send([koishi.h.file(Buffer.from(base64, "base64"), mediaType, { title })]),
    }
  }
  const bot = createBot({ shouldAnswer: {}, ...own, chat })
  const take = async (session: KoishiSession): Promise<void> => {
    const message = messageIn(session, agent, koishi.h)
    if (message) await bot.take(...message)
  }
  app.middleware((session, next) => take(session).then(next))
  app.on("message-updated", take)
  // As in Koishi's own program: one plugin that fails does not end the others.
  if (onError) process.on("unhandledRejection", onError)
  await app.start()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const close: ConnectedBot["close"] = async (closing) => {
    await bot.close(closing)
    await app.parallel("exit", "SIGTERM")
    resolve()
  }
  return { agent: bot.agent, name: agent.name, ended, close }
}

/** Elements that are neither words nor files. The last are of OneBot; a `message` within a message is what was forwarded. */
const mediaKinds: Readonly<Record<string, BotMedia["kind"]>> = {
  ...{ video: "video", location: "location", message: "forward", forward: "forward", emoji: "sticker", face: "sticker" },
  ...{ mface: "sticker", json: "card", xml: "card", dice: "dice", rps: "game" },
}

/** The conversation and the message of an event; undefined if a bot said it. */
function messageIn(session: KoishiSession, agent: ChatMember, h: KoishiElements) {
  const { platform, channelId, userId, selfId, isDirect, author, elements = [], quote } = session
  if (!userId || userId === selfId || author?.isBot) return undefined
  const nameOf = ({ id, name = id }: KoishiUser): string => (id === selfId ? agent.name : (name ?? "all"))
  const personOf = (user: KoishiUser) => ({ id: user.id === selfId ? agent.id : `${platform}:${user.id}`, name: nameOf(user) })
  const spoken = h.select(elements, "text,at,br")
  const words = spoken.map(({ type, attrs }) => (type === "at" ? `@${nameOf(attrs)}` : (attrs.content ?? "\n")))
  const key = { conversation: `${platform}:${channelId}`, audience: isDirect ? "private" : "group" } as const
  const message = {
    ...{ id: session.messageId, text: words.join("").trim(), isEdit: session.type === "message-updated" },
    from: personOf({ id: userId, name: author?.nick ?? author?.name ?? userId }),
    files: h.select(elements, "img,image,audio,file").map(({ attrs }) => String(attrs.src ?? attrs.url)),
    media: h.select(elements, Object.keys(mediaKinds).join()).map(({ type, attrs: { name, summary, title } }) => ({
      ...{ kind: mediaKinds[type] ?? "card", name: name ?? summary ?? title },
    })),
    mentions: h.select(elements, "at").map(({ attrs }) => personOf(attrs)),
    replyTo: quote?.user && { from: personOf(quote.user) },
  }
  return [key, message] as const
}
