import { Context, h } from "@koishijs/core"
import { HTTP } from "@koishijs/plugin-http"
import { SatoriAdapter } from "@satorijs/adapter-satori"
import { type BotOptions, createBot } from "promptstrata/bots"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { SATORI_URL = "http://127.0.0.1:5140/satori", SATORI_TOKEN = "", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const store = await openStore("./data")
const profile = await loadProfile(PROFILE)
const app = new Context()
app.plugin(HTTP)
app.plugin(SatoriAdapter as never, { endpoint: SATORI_URL, token: SATORI_TOKEN })

const chat: BotOptions["chat"] = ({ conversation }) => {
  const [platform, channel = ""] = conversation.split(/:(.*)/s)
  const bot = app.bots.find((one) => one.platform === platform)
  const send = (content: h.Fragment) => bot?.sendMessage(channel, content)
  return {
    limit: 2000,
    locale: profile.locale,
    sendText: (text) => send(h.text(text)),
    sendFile: ({ path, mediaType, base64 }) => send(h.file(Buffer.from(base64, "base64"), mediaType, { title: path })),
  }
}
const bot = createBot({ profile, model: openaiModel(MODEL), store, shouldAnswer: {}, chat })

app.on("message", (message) => {
  const { platform, channelId, userId, selfId, isDirect, author, elements = [] } = message
  if (!userId || userId === selfId || author.isBot) return
  const nameOf = ({ id, name = id }: { id?: string; name?: string }) => (id === selfId ? profile.agent.name : name)
  const words = h.select(elements, "text,at").map(({ type, attrs }) => (type === "text" ? attrs.content : `@${nameOf(attrs)}`))
  const files = h.select(elements, "img,image,audio,file").map(({ attrs }) => String(attrs.src ?? attrs.url))
  const idOf = (id?: string) => (id === selfId ? profile.agent.id : `${platform}:${id}`)
  const mentions = h.select(elements, "at").map(({ attrs }) => ({ id: idOf(attrs.id), name: nameOf(attrs) }))
  const replyTo = message.quote?.user
    ? { from: { id: idOf(message.quote.user.id), name: nameOf(message.quote.user) } }
    : undefined
  const from = { id: idOf(userId), name: author.nick ?? author.name ?? userId }
  const said = { id: message.messageId ?? "", text: words.join("").trim(), from, files, replyTo, mentions }
  return bot.take({ conversation: `${platform}:${channelId}`, audience: isDirect ? "private" : "group" }, said)
})
app.on("login-updated", ({ bot: { user } }) => console.log(`${user?.name} listens. Ctrl-C ends it.`))
await app.start()

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => bot.close().then(() => Promise.all([app.stop(), store.close()])))
