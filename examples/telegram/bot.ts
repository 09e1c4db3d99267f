import { Bot, InputFile } from "grammy"
import { createAgent } from "promptstrata"
import { readMentions, takeMessage } from "promptstrata/bots"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { TELEGRAM_TOKEN = "", TELEGRAM_API = "https://api.telegram.org", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const [store, profile] = await Promise.all([openStore("./data"), loadProfile(PROFILE)])
const agent = createAgent({ profile, model: openaiModel(MODEL), store, shouldAnswer: {} })
const bot = new Bot(TELEGRAM_TOKEN, { client: { apiRoot: TELEGRAM_API } })

const sessionOf = ({ id, type }: { id: number; type: string }) =>
  agent.session({ conversation: `telegram:${id}`, audience: type === "private" ? "private" : "group" })
const idOf = (id: number) => (id === bot.botInfo.id ? profile.agent.id : `telegram:${id}`)
const speakerOf = (user: { id: number; first_name: string }) => ({ id: idOf(user.id), name: user.first_name })
const fileOf = async (id: string) => `${TELEGRAM_API}/file/bot${TELEGRAM_TOKEN}/${(await bot.api.getFile(id)).file_path}`

bot.on(["message", "edited_message"], (ctx) => {
  const { chat, me, msg } = ctx
  const { text, ids } = readMentions(msg.text ?? msg.caption ?? "", [{ id: me.username, name: profile.agent.name }], /@(\w+)/g)
  const media = msg.photo?.at(-1) ?? msg.document ?? msg.voice
  const files = media ? [() => fileOf(media.file_id)] : []
  const replied = msg.reply_to_message?.from
  const to = { mentions: ids.map(() => ({ id: profile.agent.id })), replyTo: replied && { from: speakerOf(replied) } }
  const said = { id: `${msg.message_id}`, text, from: speakerOf(ctx.from), files, ...to, isEdit: msg.edit_date !== undefined }
  // Not awaited: other chats are answered meanwhile.
  takeMessage(sessionOf(chat), said, {
    limit: 4096,
    locale: profile.locale,
    sendText: (part) => ctx.reply(part, chat.type === "private" ? {} : { reply_parameters: { message_id: msg.message_id } }),
    sendFile: ({ path, base64 }) => ctx.replyWithDocument(new InputFile(Buffer.from(base64, "base64"), path)),
    showTyping: () => ctx.replyWithChatAction("typing"),
  }).catch(console.error)
})
bot.on("message_reaction", ({ chat, from, messageReaction }) => {
  const [reaction] = messageReaction.new_reaction
  if (from && reaction?.type === "emoji")
    return sessionOf(chat).hear(`(reacts with ${reaction.emoji})`, { from: speakerOf(from) })
})

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void bot.stop())
const onStart = ({ username }: { username: string }) => console.log(`@${username} listens. Ctrl-C ends it.`)
await bot.start({ allowed_updates: ["message", "edited_message", "message_reaction"], onStart })
await agent.close().then(() => store.close())
