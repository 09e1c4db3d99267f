import { API_CONSTANTS, Bot, InlineKeyboard, InputFile } from "grammy"
import { type ApprovalQuestion, type BotOptions, commandList, createBot, readMentions } from "promptstrata/bots"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { TELEGRAM_TOKEN = "", TELEGRAM_API = "https://api.telegram.org", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const [store, profile] = await Promise.all([openStore("./data"), loadProfile(PROFILE)])
const telegram = new Bot(TELEGRAM_TOKEN, { client: { apiRoot: TELEGRAM_API } })

const keysOf = ({ choices }: ApprovalQuestion) => InlineKeyboard.from([choices.map((c) => InlineKeyboard.text(c.label, c.say))])
/** A chat. In a group, answers stand behind the message that they answer. */
const chat: BotOptions["chat"] = ({ conversation, audience }, answered) => {
  const id = Number(conversation.slice("telegram:".length))
  const behind = answered && audience === "group" ? { reply_parameters: { message_id: Number.parseInt(answered.id, 10) } } : {}
  return {
    limit: 4096,
    locale: profile.locale,
    sendText: (part) => telegram.api.sendMessage(id, part, behind),
    sendFile: ({ path, base64 }) => telegram.api.sendDocument(id, new InputFile(Buffer.from(base64, "base64"), path)),
    ask: (asked) => telegram.api.sendMessage(id, asked.question, { reply_markup: keysOf(asked) }),
    showTyping: () => telegram.api.sendChatAction(id, "typing"),
  }
}
const bot = createBot({ profile, model: openaiModel(MODEL), store, shouldAnswer: {}, chat })

// The id of a group is negative.
const keyOf = (id: number) => ({ conversation: `telegram:${id}`, audience: id > 0 ? "private" : "group" }) as const
const idOf = (id: number) => (id === telegram.botInfo.id ? profile.agent.id : `telegram:${id}`)
const speakerOf = (user: { id: number; first_name: string }) => ({ id: idOf(user.id), name: user.first_name })
const fileOf = async (id: string) => `${TELEGRAM_API}/file/bot${TELEGRAM_TOKEN}/${(await telegram.api.getFile(id)).file_path}`

const kinds = ["sticker", "video", "video_note", "animation", "location", "contact", "poll", "dice", "story", "game"] as const
// A press of a button says what its choice says.
telegram.on("callback_query", (ctx, next) => ctx.answerCallbackQuery().then(next))
telegram.on(["message", "edited_message", "callback_query:data"], (ctx) => {
  const { me, msg, callbackQuery: press } = ctx
  if (!msg) return
  const words = press?.data ?? msg.text ?? msg.caption ?? ""
  const { text, ids } = readMentions(words, [{ id: me.username, name: profile.agent.name }], /@(\w+)/g)
  const file = msg.photo?.at(-1) ?? (msg.animation ? undefined : (msg.document ?? msg.voice ?? msg.audio))
  const files = [file].flatMap((one) => (one ? [() => fileOf(one.file_id)] : []))
  const [mentions, replied] = [ids.map(() => ({ id: profile.agent.id })), msg.reply_to_message?.from]
  const to = { mentions, replyTo: replied && { from: speakerOf(replied) } }
  const media = kinds.flatMap((kind) => (kind in msg ? [{ kind, name: msg.sticker?.emoji }] : []))
  const parts = { files, media, album: press ? undefined : msg.media_group_id, isEdit: msg.edit_date !== undefined }
  // A press has an id of its own, behind that of the message with the button.
  const id = `${msg.message_id} ${press?.id ?? ""}`.trim()
  // Awaited: Telegram sends a message again that was not kept.
  return bot.take(keyOf(msg.chat.id), { id, text, from: speakerOf(ctx.from), ...parts, ...to })
})
telegram.on("message_reaction", (ctx) => {
  const [emoji] = ctx.reactions().emojiAdded
  if (ctx.from && emoji)
    return bot.agent.session(keyOf(ctx.chat.id)).hear(`(reacts with ${emoji})`, { from: speakerOf(ctx.from) })
})

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void telegram.stop())
const onStart = ({ username }: { username: string }) => console.log(`@${username} listens. Ctrl-C ends it.`)
await telegram.api.setMyCommands(commandList(profile.locale))
await telegram.start({ allowed_updates: API_CONSTANTS.ALL_UPDATE_TYPES, onStart })
await bot.close().then(() => store.close())
