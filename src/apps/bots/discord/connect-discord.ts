import { checkMemberTypes } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { logError } from "../../../trace/log-error.ts"
import { type Bot, type BotOptions, type ConnectedBot, createBot, type PlatformOptions } from "../create-bot.ts"
import type { BotQuestion } from "../deliver-turn.ts"
import { type BotMedia, reactionWords } from "../media-words.ts"
import { type ChatMember, printMentions, readMentions } from "../mentions.ts"

/** Options of {@link connectDiscord}: those of `createBot`, but for the chats. By default it answers in channels who speaks to it. */
export interface DiscordOptions extends PlatformOptions {
  /** The package `discord.js`, or this class of it. */
  readonly discord: { readonly Client: new (settings: never) => object }
}

interface DiscordClient {
  readonly user: User | null
  readonly channels: { fetch(id: string): Promise<unknown> }
  on(event: string, listener: (...args: never[]) => unknown): unknown
  login(token: string): Promise<unknown>
  destroy(): Promise<void>
}

type Channel = { send(message: object): Promise<unknown>; sendTyping(): Promise<unknown> }
type User = { readonly id: string; readonly username: string; readonly displayName: string; readonly bot: boolean }
type Place = { readonly id: string; readonly channelId: string; inGuild(): boolean }
type Press = Place & { readonly user: User; readonly customId: string; isButton(): boolean; deferUpdate(): unknown }
type AnswerField = { readonly text: string | null }
type Reaction = { readonly message: Place; readonly emoji: { readonly name: string | null } }
interface Message extends Place {
  readonly content: string
  readonly author: User
  readonly member: { readonly displayName: string } | null
  readonly mentions: { readonly users: ReadonlyMap<string, User>; readonly repliedUser: User | null }
  readonly attachments: ReadonlyMap<string, { readonly url: string }>
  readonly stickers: ReadonlyMap<string, { readonly name: string }>
  readonly poll: { readonly question: AnswerField; readonly answers: ReadonlyMap<number, AnswerField> } | null
  readonly messageSnapshots: ReadonlyMap<string, Message>
  readonly createdTimestamp: number
  readonly editedTimestamp: number | null
}

// Partials are channels (1), messages (3) and reactions (4) that are not known yet. Nobody can make the bot call @everyone.
const intents = ["Guilds", "GuildMessages", "DirectMessages", "MessageContent", "GuildMessageReactions", "DirectMessageReactions"]
const settings = { intents, partials: [1, 3, 4], allowedMentions: { parse: ["users"], repliedUser: true } }

/** Makes a character that listens and answers at Discord. Rejects with the error of discord.js, such as for a wrong token. */
export async function connectDiscord(options: DiscordOptions): Promise<ConnectedBot> {
  checkMemberTypes("the options of connectDiscord", options, "discord:object token:string api:string? profile:object")
  const { discord, token, api = "https://discord.com/api", operators, onError = logError, ...own } = options
  checkMemberTypes("discord of connectDiscord", discord, "Client:function")
  const client = new discord.Client({ ...settings, rest: { api } } as never) as DiscordClient
  const { agent, locale } = own.profile
  const chat: BotOptions["chat"] = ({ conversation }, answered) => {
    const channel = async () => (await client.channels.fetch(conversation.slice(prefix.length))) as Channel
    const behind = answered && { reply: { messageReference: answered.id, failIfNotExists: false } }
    const send = async (message: object) => (await channel()).send({ ...message, ...behind })
    const people = [answered?.from ?? [], answered?.mentions ?? []].flat().filter(({ id }) => id !== agent.id) as ChatMember[]
    return {
      ...{ limit: 2000, locale, operators, onError },
      sendText: (content) => send({ content }),
      sendFile: ({ path, base64 }) => send({ files: [{ attachment: Buffer.from(base64, "base64"), name: path }] }),
      ask: ({ question: content, choices }) => send({ content, components: [{ type: 1, components: choices.map(buttonOf) }] }),
      showTyping: async () => (await channel()).sendTyping(),
      print: (words) => printMentions(words, people, ({ id }) => `<@${id.slice(prefix.length)}>`),
    }
  }
  const bot = createBot({ shouldAnswer: {}, ...own, chat })
  // A listener that rejects is an error of the client, too.
  client.on("error", onError)
  client.on("messageCreate", (message: Message) => takeMessage(message, bot, { id: client.user?.id ?? "", agent }))
  // An update without a newer edit is a preview of a link, or a pin.
  client.on("messageUpdate", async (before: Message, message: Message) => {
    const isEdit = message.editedTimestamp !== null && message.editedTimestamp !== before.editedTimestamp
    if (isEdit && message.author) await takeMessage(message, bot, { id: client.user?.id ?? "", agent }, isEdit)
  })
  client.on("messageReactionAdd", async ({ message, emoji }: Reaction, { id, displayName: name, bot: isBot }: User) => {
    const from = { id: prefix + id, name }
    if (!isBot) await bot.agent.session(keyOf(message)).hear(reactionWords(emoji.name ?? "?", locale), { from })
  })
  client.on("interactionCreate", (press: Press) => takePress(press, bot))
  await client.login(token).catch((error: unknown) => bot.close().then(() => Promise.reject(error)))
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  client.on("shardDisconnect", ({ code }: { readonly code: number }) =>
    reject(
      new PromptStrataError("usage", `Discord closed the connection for good, with the code ${code}.`, {
        hint: "Check the token (4004), and that Message Content Intent is on in Discord's developer portal (4014).",
      }),
    ),
  )
  // Listens until the end: Discord sends nothing again.
  const close: Bot["close"] = (closing) => bot.close(closing).then(() => client.destroy().then(resolve))
  return { agent: bot.agent, name: client.user?.username ?? agent.name, ended, close }
}

const prefix = "discord:"

const buttonOf = ({ label, say }: BotQuestion["choices"][number]) => ({ type: 2, style: 2, label, custom_id: say })

const keyOf = (place: Place) =>
  ({ conversation: prefix + place.channelId, audience: place.inGuild() ? "group" : "private" }) as const

type OwnIdentity = { readonly id: string; readonly agent: ChatMember }

async function takeMessage(message: Message, bot: Bot, me: OwnIdentity, isEdit = false): Promise<void> {
  const { id, author, member, mentions, createdTimestamp: atMs } = message
  if (author.bot) return
  const people = [...mentions.users.values(), author].map(({ id, displayName: name }) => ({ id, name }))
  people.push({ id: me.id, name: me.agent.name })
  const names = new Map(people.map(({ id, name }) => [id, name]))
  // What is forwarded stands in a message of its own, within one without words.
  const shown = [message, ...message.messageSnapshots.values()]
  const { text, ids } = readMentions(shown.map(({ content }) => content).join(""), people, /<@!?(\d+)>/g)
  const who = (id: string) => ({ id: id === me.id ? me.agent.id : prefix + id, name: names.get(id) ?? id })
  const from = { ...who(author.id), name: (member ?? author).displayName }
  const replyTo = mentions.repliedUser ? { from: who(mentions.repliedUser.id) } : undefined
  const files = shown.flatMap(({ attachments }) => Array.from(attachments.values(), ({ url }) => url))
  const forwarded = shown.slice(1).map(() => ({ kind: "forward" }) as const)
  const media = [...forwarded, ...shown.flatMap(mediaIn)]
  await bot.take(keyOf(message), { id, text, from, atMs, isEdit, files, media, mentions: ids.map(who), replyTo })
}

const mediaIn = ({ stickers, poll }: Message): readonly BotMedia[] => [
  ...Array.from(stickers.values(), ({ name }) => ({ kind: "sticker", name }) as const),
  ...(poll
    ? [{ kind: "poll", name: [poll.question, ...poll.answers.values()].map(({ text }) => text).join(" / ") } as const]
    : []),
]

/** A press says what its choice says. */
async function takePress(press: Press, bot: Bot): Promise<void> {
  if (!press.isButton()) return
  const from = { id: prefix + press.user.id, name: press.user.displayName }
  await Promise.all([press.deferUpdate(), bot.take(keyOf(press), { id: press.id, text: press.customId, from })])
}
