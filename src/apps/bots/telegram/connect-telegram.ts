import { checkMemberTypes } from "../../../core/check-options.ts"
import { commandList } from "../../../loop/agent/second-thoughts/chat-commands.ts"
import type { Profile } from "../../../profile/profile.ts"
import { type Bot, type BotOptions, type ConnectedBot, createBot, type PlatformOptions } from "../create-bot.ts"
import { type BotMedia, reactionWords } from "../media-words.ts"
import { readMentions } from "../mentions.ts"

/** Options of {@link connectTelegram}: those of `createBot`, but for the chats. By default it answers in groups who speaks to it. */
export interface TelegramOptions extends PlatformOptions {
  /** The package `grammy`, or these two of it. */
  readonly grammy: {
    readonly Bot: new (token: string, config: { readonly client: { readonly apiRoot: string } }) => GrammyBot
    readonly InputFile: new (bytes: Uint8Array, name: string) => unknown
  }
}

interface GrammyBot {
  readonly api: {
    sendMessage(chat: number, text: string, more: object): unknown
    sendDocument(chat: number, file: unknown): unknown
    sendChatAction(chat: number, action: "typing"): unknown
    setMyCommands(commands: readonly object[]): Promise<unknown>
    getFile(id: string): Promise<{ readonly file_path?: string }>
  }
  use(take: (context: GrammyContext) => unknown): unknown
  start(options: object): Promise<void>
  stop(): Promise<void>
}

interface GrammyContext {
  readonly me: { readonly id: number; readonly username: string }
  readonly msg: TelegramMessage | undefined
  readonly chat: { readonly id: number } | undefined
  readonly from: TelegramUser | undefined
  readonly callbackQuery: { readonly id: string; readonly data?: string } | undefined
  readonly messageReaction: object | undefined
  answerCallbackQuery(): Promise<unknown>
  reactions(): { readonly emojiAdded: readonly string[] }
}

type TelegramUser = { readonly id: number; readonly first_name: string }
type TelegramFile = { readonly file_id: string }
type TelegramThing = { readonly [Name in "emoji" | "title" | "first_name" | "question"]?: string } & {
  readonly value?: number
  readonly options?: readonly { readonly text: string }[]
}
type TelegramMessage = { readonly [Name in "text" | "caption" | "media_group_id"]?: string } & {
  readonly [Name in "document" | "voice" | "audio" | "animation"]?: TelegramFile
} & {
  readonly [Name in "sticker" | "dice" | "venue" | "game" | "contact" | "poll"]?: TelegramThing
} & {
  readonly forward_origin?: { readonly sender_user?: TelegramUser; readonly sender_user_name?: string } & {
    readonly [Name in "sender_chat" | "chat"]?: { readonly title?: string | undefined }
  }
  readonly message_id: number
  readonly edit_date?: number
  readonly photo?: readonly TelegramFile[]
  readonly reply_to_message?: { readonly from?: TelegramUser }
}

const kinds = ["sticker", "video", "video_note", "animation", "location", "contact", "poll", "dice", "story", "game"] as const
const updates = ["message", "edited_message", "callback_query", "message_reaction"]

/** Makes a character that listens and answers at Telegram. Rejects with the error of grammY, such as for a wrong token. */
export async function connectTelegram(options: TelegramOptions): Promise<ConnectedBot> {
  checkMemberTypes("the options of connectTelegram", options, "grammy:object token:string api:string? profile:object")
  const { grammy, token, api: apiRoot = "https://api.telegram.org", operators, onError, ...own } = options
  checkMemberTypes("grammy of connectTelegram", grammy, "Bot:function InputFile:function")
  const telegram = new grammy.Bot(token, { client: { apiRoot } })
  const { api } = telegram
  const { locale } = own.profile
  // In a group, answers stand behind the message that they answer.
  const chat: BotOptions["chat"] = ({ conversation, audience }, answered) => {
    const id = Number(conversation.slice("telegram:".length))
    const behind = answered && audience === "group" ? { reply_parameters: { message_id: Number.parseInt(answered.id, 10) } } : {}
    return {
      ...{ limit: 4096, locale, operators, onError },
      sendText: (part) => api.sendMessage(id, part, behind),
      sendFile: ({ path, base64 }) => api.sendDocument(id, new grammy.InputFile(Buffer.from(base64, "base64"), path)),
      ask: ({ question, choices }) => api.sendMessage(id, question, { reply_markup: { inline_keyboard: [choices.map(keyOf)] } }),
      showTyping: () => api.sendChatAction(id, "typing"),
    }
  }
  const bot = createBot({ shouldAnswer: {}, ...own, chat })
  const load = async (id: string) => `${apiRoot}/file/bot${token}/${(await api.getFile(id)).file_path}`
  // Awaited: Telegram sends an update again that was not kept.
  telegram.use((context) => takeUpdate(context, own.profile, { bot, load }))
  const { promise: started, resolve, reject } = Promise.withResolvers<{ readonly username: string }>()
  const ended = api.setMyCommands(commandList(locale)).then(() => telegram.start({ allowed_updates: updates, onStart: resolve }))
  ended.catch((error: unknown) => bot.close().then(() => reject(error), reject))
  const close: Bot["close"] = async (closing) => {
    const stopped = telegram.stop().then(() => ended)
    // What Telegram was not told at the end comes again, and is known.
    await stopped.catch(() => undefined)
    await bot.close(closing)
  }
  return { agent: bot.agent, name: `@${(await started).username}`, ended, close }
}

const keyOf = ({ label: text, say }: { readonly label: string; readonly say: string }) => ({ text, callback_data: say })

type FileAccess = { readonly bot: Bot; readonly load: (fileId: string) => Promise<string> }

async function takeUpdate(context: GrammyContext, { agent, locale }: Profile, { bot, load }: FileAccess): Promise<void> {
  const { me, msg, chat, from: user, callbackQuery: press } = context
  if (!chat || !user) return
  // The id of a group is negative.
  const key = { conversation: `telegram:${chat.id}`, audience: chat.id > 0 ? "private" : "group" } as const
  const speakerOf = ({ id, first_name: name }: TelegramUser) => ({ id: id === me.id ? agent.id : `telegram:${id}`, name })
  const from = speakerOf(user)
  const [emoji] = context.messageReaction ? context.reactions().emojiAdded : []
  if (emoji) await bot.agent.session(key).hear(reactionWords(emoji, locale), { from })
  // A press says what its choice says. It has an id of its own, behind that of the message with the button.
  if (press) await context.answerCallbackQuery()
  if (press && msg) await bot.take(key, { id: `${msg.message_id} ${press.id}`, text: press.data ?? "", from })
  if (press || !msg) return
  const { text, ids } = readMentions(msg.text ?? msg.caption ?? "", [{ id: me.username, name: agent.name }], /@(\w+)/g)
  const file = msg.photo?.at(-1) ?? (msg.animation ? undefined : (msg.document ?? msg.voice ?? msg.audio))
  const replied = msg.reply_to_message?.from
  await bot.take(key, {
    ...{ id: `${msg.message_id}`, text, from, files: file && [() => load(file.file_id)] },
    ...{ media: mediaIn(msg), album: msg.media_group_id, isEdit: msg.edit_date !== undefined },
    ...{ mentions: ids.map(() => ({ id: agent.id })), replyTo: replied && { from: speakerOf(replied) } },
  })
}

/** A message shows at most one thing, and may be forwarded. */
function mediaIn(msg: TelegramMessage): readonly BotMedia[] {
  const thing = msg.sticker ?? msg.dice ?? msg.venue ?? msg.game ?? msg.contact ?? msg.poll ?? {}
  const { emoji, value = "", title, first_name, question, options = [] } = thing
  const name = [`${emoji ?? title ?? first_name ?? question ?? ""} ${value}`.trim(), ...options.map(({ text }) => text)].join(
    " / ",
  )
  const shown = kinds.flatMap((kind) => (kind in msg ? [{ kind, name }] : []))
  const { forward_origin: from } = msg
  const author = from?.sender_user?.first_name ?? from?.sender_user_name ?? (from?.sender_chat ?? from?.chat)?.title
  return from ? [{ kind: author ? "forward_from" : "forward", name: author }, ...shown] : shown
}
