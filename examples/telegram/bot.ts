import { API_CONSTANTS, Bot, InlineKeyboard, InputFile } from "grammy"
import { type AgentOptions, createAgent } from "promptstrata"
import { type BotChat, commandList, deliverTurn, readMentions, takeMessage } from "promptstrata/bots"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { TELEGRAM_TOKEN = "", TELEGRAM_API = "https://api.telegram.org", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const [store, profile] = await Promise.all([openStore("./data"), loadProfile(PROFILE)])
const bot = new Bot(TELEGRAM_TOKEN, { client: { apiRoot: TELEGRAM_API } })

/** A chat. In a group, answers stand behind the message that they answer. */
const chatOf = (id: number, answered?: number): BotChat => ({
  limit: 4096,
  locale: profile.locale,
  sendText: (part) => bot.api.sendMessage(id, part, answered ? { reply_parameters: { message_id: answered } } : {}),
  sendFile: ({ path, base64 }) => bot.api.sendDocument(id, new InputFile(Buffer.from(base64, "base64"), path)),
  ask: ({ question, choices }) => {
    const keys = InlineKeyboard.from([choices.map(({ label, say }) => InlineKeyboard.text(label, say))])
    return bot.api.sendMessage(id, question, { reply_markup: keys })
  },
  showTyping: () => bot.api.sendChatAction(id, "typing"),
})
// A reminder rings in the chat in which it was set.
const onWake: AgentOptions["onWake"] = (turn, { conversation }) => deliverTurn(turn, chatOf(Number(conversation.split(":")[1])))
const agent = createAgent({ profile, model: openaiModel(MODEL), store, shouldAnswer: {}, onWake })

// The id of a group is negative.
const sessionOf = (id: number) => agent.session({ conversation: `telegram:${id}`, audience: id > 0 ? "private" : "group" })
const idOf = (id: number) => (id === bot.botInfo.id ? profile.agent.id : `telegram:${id}`)
const speakerOf = (user: { id: number; first_name: string }) => ({ id: idOf(user.id), name: user.first_name })
const fileOf = async (id: string) => `${TELEGRAM_API}/file/bot${TELEGRAM_TOKEN}/${(await bot.api.getFile(id)).file_path}`

const kinds = ["sticker", "video", "video_note", "animation", "location", "contact", "poll", "dice", "story", "game"] as const
// A press of a button says what its choice says.
bot.on("callback_query", (ctx, next) => ctx.answerCallbackQuery().then(next))
bot.on(["message", "edited_message", "callback_query:data"], (ctx) => {
  const { me, msg, callbackQuery: press } = ctx
  if (!msg) return
  const words = press?.data ?? msg.text ?? msg.caption ?? ""
  const { text, ids } = readMentions(words, [{ id: me.username, name: profile.agent.name }], /@(\w+)/g)
  const file = msg.photo?.at(-1) ?? (msg.animation ? undefined : (msg.document ?? msg.voice ?? msg.audio))
  const files = [file].flatMap((one) => (one ? [() => fileOf(one.file_id)] : []))
  const replied = msg.reply_to_message?.from
  const to = { mentions: ids.map(() => ({ id: profile.agent.id })), replyTo: replied && { from: speakerOf(replied) } }
  const media = kinds.flatMap((kind) => (kind in msg ? [{ kind, name: msg.sticker?.emoji }] : []))
  const parts = { files, media, album: press ? undefined : msg.media_group_id }
  const said = { id: `${msg.message_id}`, text, from: speakerOf(ctx.from), ...parts, ...to, isEdit: msg.edit_date !== undefined }
  // Not awaited: other chats are answered meanwhile.
  const chat = chatOf(msg.chat.id, msg.chat.id > 0 ? undefined : msg.message_id)
  takeMessage(sessionOf(msg.chat.id), said, chat).catch(console.error)
})
bot.on("message_reaction", (ctx) => {
  const [emoji] = ctx.reactions().emojiAdded
  if (ctx.from && emoji) return sessionOf(ctx.chat.id).hear(`(reacts with ${emoji})`, { from: speakerOf(ctx.from) })
})

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void bot.stop())
const onStart = ({ username }: { username: string }) => console.log(`@${username} listens. Ctrl-C ends it.`)
await bot.api.setMyCommands(commandList(profile.locale))
await bot.start({ allowed_updates: API_CONSTANTS.ALL_UPDATE_TYPES, onStart })
await agent.close().then(() => store.close())
