const { resolve } = require("node:path")
const { h, Schema } = require("koishi")

exports.name = "promptstrata"

exports.Config = Schema.object({
  profile: Schema.string().default("layered").description("A shipped profile, or a file. 自带的配置，或自己的配置文件。"),
  model: Schema.string().default("gpt-5-mini").description("The model's name. 模型的名字。"),
  baseUrl: Schema.string().role("link").description("Another OpenAI-compatible server. 其他兼容 OpenAI 的服务。"),
  apiKey: Schema.string().role("secret").description("Its key (default: OPENAI_API_KEY). 密钥（默认：OPENAI_API_KEY）。"),
  store: Schema.string().default("data/promptstrata").description("A folder or postgres:// URL. 文件夹或 postgres:// 地址。"),
  operators: Schema.array(String).description(
    "Who may answer for others and command in groups, as onebot:7. 可以代别人回答、在群里用命令的人。",
  ),
})

exports.apply = (ctx, config) => {
  const logger = ctx.logger("promptstrata")
  const opening = open(ctx, config, (error) => logger.warn(error))
  opening.catch((error) => logger.error(error))
  // Behind Koishi's own commands, which answer for themselves. Other plugins get the message too.
  ctx.middleware(async (session, next) => {
    await take(await opening, session)
    return next()
  })
  let closing
  const close = () => {
    closing ??= opening.then(({ bot, store }) => bot.close().then(() => store.close())).catch(() => undefined)
    return closing
  }
  // Koishi waits for this before it ends: the platforms still take the answers that are under way.
  ctx.on("exit", close)
  ctx.on("dispose", close)
}

async function open(ctx, { profile: name, model, baseUrl, apiKey, store: place, operators }, onError) {
  const { createBot } = await import("promptstrata/bots")
  const { openaiModel } = await import("promptstrata/models/openai")
  const { loadProfile } = await import("promptstrata/node")
  const { openStore } = await import("promptstrata/stores")
  const [base, isUrl] = [ctx.baseDir ?? process.cwd(), place.includes("://")]
  const profile = await loadProfile(name.endsWith(".toml") ? resolve(base, name) : name)
  const store = await openStore(isUrl ? { url: place } : resolve(base, place))
  const chat = ({ conversation }) => {
    const [platform, channel] = conversation.split(/:(.*)/s)
    const send = (content) => {
      const bot = ctx.bots.find((one) => one.platform === platform)
      if (bot === undefined) throw new Error(`${platform} is not connected, so that nothing can be sent to ${channel}.`)
      return bot.sendMessage(channel, content)
    }
    return {
      ...{ limit: 2000, locale: profile.locale, operators, onError },
      sendText: (text) => send(h.escape(text)),
      sendFile: ({ path, mediaType, base64 }) => send([h.file(Buffer.from(base64, "base64"), mediaType, { title: path })]),
    }
  }
  const bot = createBot({ profile, model: openaiModel({ model, baseUrl, apiKey }), store, shouldAnswer: {}, chat })
  return { bot, store, profile }
}

/** Elements that are neither words nor files, also of OneBot. A `message` within a message is what was forwarded. */
const mediaKinds = { video: "video", location: "location", message: "forward", face: "sticker", mface: "sticker", json: "card" }

async function take({ bot, profile: { agent } }, session) {
  const { platform, channelId, userId, selfId, isDirect, author, elements = [], quote } = session
  if (!userId || userId === selfId || author?.isBot) return
  const nameOf = ({ id, name = id }) => (id === selfId ? agent.name : name)
  const personOf = (user) => ({ id: user.id === selfId ? agent.id : `${platform}:${user.id}`, name: nameOf(user) })
  const wordOf = ({ type, attrs }) => (type === "at" ? `@${nameOf(attrs)}` : (attrs.content ?? "\n"))
  const mediumOf = ({ type, attrs: { name, summary, title } }) => ({ kind: mediaKinds[type], name: name ?? summary ?? title })
  await bot.take(
    { conversation: `${platform}:${channelId}`, audience: isDirect ? "private" : "group" },
    {
      id: session.messageId ?? "",
      text: h.select(elements, "text,at,br").map(wordOf).join("").trim(),
      from: personOf({ id: userId, name: author?.nick ?? author?.name ?? userId }),
      files: h.select(elements, "img,image,audio,file").map(({ attrs }) => String(attrs.src ?? attrs.url)),
      media: h.select(elements, Object.keys(mediaKinds).join()).map(mediumOf),
      mentions: h.select(elements, "at").map(({ attrs }) => personOf(attrs)),
      replyTo: quote?.user && { from: personOf(quote.user) },
    },
  )
}
