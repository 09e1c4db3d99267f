import { Client, Partials } from "discord.js"
import { createAgent } from "promptstrata"
import { printMentions, readMentions, takeMessage } from "promptstrata/bots"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { DISCORD_TOKEN = "", DISCORD_API = "https://discord.com/api", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const [store, profile] = await Promise.all([openStore("./data"), loadProfile(PROFILE)])
const agent = createAgent({ profile, model: openaiModel(MODEL), store, shouldAnswer: {} })
const client = new Client({
  intents: ["Guilds", "GuildMessages", "DirectMessages", "MessageContent"],
  partials: [Partials.Channel], // direct messages
  allowedMentions: { parse: ["users"], repliedUser: true }, // nobody can make the bot call @everyone
  rest: { api: DISCORD_API },
})

client.on("messageCreate", async (message) => {
  const { author, channel, mentions, attachments } = message
  if (author.bot || !channel.isSendable()) return
  const session = agent.session({ conversation: `discord:${channel.id}`, audience: message.inGuild() ? "group" : "private" })
  const from = { id: `discord:${author.id}`, name: message.member?.displayName ?? author.displayName }
  const me = { id: message.client.user.id, name: profile.agent.name }
  const people = [...mentions.users.map(({ id, displayName: name }) => ({ id, name })), { id: author.id, name: from.name }, me]
  const { text, ids } = readMentions(message.content, people, /<@!?(\d+)>/g)
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const who = (id: string) => ({ id: id === me.id ? profile.agent.id : `discord:${id}`, name: names.get(id) ?? id })
  const to = { mentions: ids.map(who), replyTo: mentions.repliedUser ? { from: who(mentions.repliedUser.id) } : undefined }
  const said = { id: message.id, text, from, files: attachments.map(({ url }) => url), ...to, atMs: message.createdTimestamp }
  await takeMessage(session, said, {
    limit: 2000,
    locale: profile.locale,
    sendText: (content) => message.reply(content),
    sendFile: ({ path, base64 }) => message.reply({ files: [{ attachment: Buffer.from(base64, "base64"), name: path }] }),
    showTyping: () => channel.sendTyping(),
    print: (words) => printMentions(words, people, ({ id }) => `<@${id}>`),
  })
})
client.on("error", console.error).once("clientReady", ({ user }) => console.log(`${user.username} listens. Ctrl-C ends it.`))
await client.login(DISCORD_TOKEN)

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => agent.close().then(() => Promise.all([client.destroy(), store.close()])))
