import { Bot, InputFile } from "grammy"
import { createAgent } from "promptstrata"
import { deliverTurn, readMentions } from "promptstrata/bots"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { TELEGRAM_TOKEN = "", TELEGRAM_API = "https://api.telegram.org", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const store = await openStore("./data")
const profile = await loadProfile(PROFILE)
const agent = createAgent({ profile, model: openaiModel(MODEL), store })
const bot = new Bot(TELEGRAM_TOKEN, { client: { apiRoot: TELEGRAM_API } })

bot.on("message:text", async (ctx) => {
  const { chat, from, message, me } = ctx
  const isGroup = chat.type !== "private"
  const session = agent.session({ conversation: `telegram:${chat.id}`, audience: isGroup ? "group" : "private" })
  const speaker = { id: `telegram:${from.id}`, name: from.first_name }
  const { text, ids } = readMentions(message.text, [{ id: me.username, name: profile.agent.name }], /@(\w+)/g)
  const isAsked = !isGroup || ids.length > 0 || message.reply_to_message?.from?.id === me.id
  if (!isAsked) return session.hear(text, { from: speaker, atMs: message.date * 1000 })
  const reply = isGroup ? { reply_parameters: { message_id: message.message_id } } : {}
  // Not awaited: other chats are answered meanwhile.
  deliverTurn(session.send(text, { from: speaker }), {
    limit: 4096,
    locale: profile.locale,
    sendText: (part) => ctx.reply(part, reply),
    sendFile: ({ path, base64 }) => ctx.replyWithDocument(new InputFile(Buffer.from(base64, "base64"), path), reply),
    showTyping: () => ctx.replyWithChatAction("typing"),
  }).catch(console.error)
})

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void bot.stop())
await bot.start({ onStart: ({ username }) => console.log(`@${username} listens. Ctrl-C ends it.`) })
await agent.close()
await store.close()
