import { createRequire } from "node:module"
import type { Command } from "commander"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import { type BotOptions, type ConnectedBot, createBot, type PlatformOptions } from "../../bots/create-bot.ts"
import { connectDiscord } from "../../bots/discord/connect-discord.ts"
import type { BotMedia } from "../../bots/media-words.ts"
import type { ChatMember } from "../../bots/mentions.ts"
import { connectTelegram } from "../../bots/telegram/connect-telegram.ts"
import { type CliContext, type RunCommand, runWithProfile } from "../context.ts"
import { exitCodes } from "../io.ts"
import { openAgent, openProfile } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { type CommonOptions, collectValues, type StoreOptions } from "../options.ts"
import { serveWords } from "../words/command-words.ts"

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

import { addDrain, untilStopped } from "./serve.ts"

interface BotCommandOptions extends CommonOptions, StoreOptions {
  /** The configuration of Koishi. */
  readonly config?: string
  readonly operator?: readonly string[]
  /** The longest wait for running answers, in seconds. */
  readonly drain: number
}

/** A platform. Its title in capitals, with `_TOKEN` or `_API`, is a variable of the environment. */
interface Platform {
  readonly title: string
  /** The npm package that speaks to it. */
  readonly library: readonly [name: string, versions: string]
  /** The default configuration, which holds all tokens. Without one, the token is in the variable. */
  readonly config?: string
  readonly connect: (library: never, options: PlatformOptions, config: string) => Promise<ConnectedBot>
}

const platforms: readonly Platform[] = [
  { title: "Telegram", library: ["grammy", "^1.46.0"], connect: (grammy, more) => connectTelegram({ ...more, grammy }) },
  { title: "Discord", library: ["discord.js", "^14.28.1"], connect: (discord, more) => connectDiscord({ ...more, discord }) },
  { title: "Koishi", library: ["koishi", "^4.18.11"], config: "koishi.yml", connect: connectKoishi },
]

/** Adds the commands of `bot`. */
export function add(program: Command, run: RunCommand): void {
  const bots = program.command("bot").description("Let a character listen and answer at a chat platform.")
  for (const platform of platforms) {
    const { title, config } = platform
    const name = title.toLowerCase()
    const description = config
      ? `Let a character listen and answer at the platforms of ${title}. Their adapters and tokens are in ${config}.`
      : `Let a character listen and answer at ${title}. Its token is in the variable ${tokenOf(title)}.`
    const command = bots
      .command(name)
      .summary(`answer at ${title}`)
      .description(description)
      .option(
        "--operator <id>",
        `who may answer for others and command in groups, as ${config ? "onebot" : name}:7; repeatable`,
        collectValues,
      )
    if (config) command.option("--config <file>", "Koishi's configuration", config)
    const work = (options: BotCommandOptions, context: CliContext) => listen(platform, options, context)
    runWithProfile(addDrain(command), run, work, { store: "optional" })
  }
}

const tokenOf = (title: string): string => `${title.toUpperCase()}_TOKEN`

/** Answers at a platform until Ctrl-C or SIGTERM, or until the platform ends it. Resolves to the exit code. */
async function listen({ title, library, connect }: Platform, options: BotCommandOptions, context: CliContext): Promise<number> {
  const { io, screen, translate } = context
  const { config = "" } = options
  const token = io.env[tokenOf(title)]?.trim() ?? ""
  if (!token && !config)
    throw new PromptStrataError("usage", `expected the bot's token in the variable ${tokenOf(title)}, found none.`, {
      hint: "A token is never an option: other users of a computer can see those.",
    })
  const loaded = loadPackage(...library)
  const profile = await openProfile(options, context)
  const words = serveWords(profile.locale)
  const stopped = untilStopped(context).then(() => undefined)
  const store = await openCliStore(options, context)
  const onError = (error: unknown): void => screen.complain(translate(messageOf(error)).replaceAll(token || /(?!)/g, "[secret]"))
  const api = io.env[`${title.toUpperCase()}_API`]
  const own = { token, api, profile, store, operators: options.operator, onError }
  const failed = (cause: unknown): never => {
    const hint = config ? undefined : "Is the token right, and does no other program use it?"
    throw new PromptStrataError("usage", `expected to listen at ${title}, which failed: ${messageOf(cause)}.`, { hint, cause })
  }
  const connecting = openAgent({ profile }, options, context, (parts) =>
    connect(loaded, { ...parts, ...own }, config).catch(failed),
  )
  const bot = await Promise.race([connecting, stopped])
  if (bot === undefined) return exitCodes.ok
  io.stdout.write(`${terminalText(`${words.listening(bot.name)}\n${words.ending}`)}\n`)
  const failure = await Promise.race([stopped, bot.ended.catch((error: unknown) => error)])
  screen.note(words.draining(options.drain))
  await bot.close({ signal: AbortSignal.timeout(options.drain * 1000) })
  if (failure) failed(failure)
  screen.note(words.ended)
  return exitCodes.ok
}

/** Loads a package from the folder in which the program runs, else from beside the library. */
function loadPackage(name: string, versions: string): never {
  const require = createRequire(import.meta.filename)
  try {
    return require(require.resolve(name, { paths: [process.cwd(), import.meta.dirname] })) as never
  } catch (cause) {
    const hint = `Run \`npm install ${name}@${versions}\`.`
    throw new PromptStrataError("missing-dependency", `expected the package ${name}, which cannot be loaded.`, { hint, cause })
  }
}
