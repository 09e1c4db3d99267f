import { Client, type Message, Partials } from "discord.js"
import { createAgent } from "promptstrata"
import { type BotMessage, printMentions, readMentions, takeMessage } from "promptstrata/bots"
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
const take = (message: Message, said: BotMessage, people: { id: string; name: string }[] = []) => {
  const audience = message.inGuild() ? "group" : "private"
  return takeMessage(agent.session({ conversation: `discord:${message.channelId}`, audience }), said, {
    limit: 2000,
    locale: profile.locale,
    sendText: (content) => message.reply(content),
    sendFile: ({ path, base64 }) => message.reply({ files: [{ attachment: Buffer.from(base64, "base64"), name: path }] }),
    ask: ({ question, choices }) =>
      message.reply({ content: question, components: [{ type: 1, components: choices.map(button) }] }),
    showTyping: () => message.channel.isSendable() && message.channel.sendTyping(),
    print: (words) => printMentions(words, people, ({ id }) => `<@${id}>`),
  })
}
const button = ({ label, say }: { label: string; say: string }) => ({ type: 2, style: 2, label, custom_id: say }) as const
const speakerOf = (id: string, name: string) => ({ id: id === client.user?.id ? profile.agent.id : `discord:${id}`, name })

client.on("messageCreate", async (message) => {
  const { author, member, mentions, attachments, createdTimestamp: atMs } = message
  if (author.bot) return
  const named = [...mentions.users.values(), author].map(({ id, displayName: name }) => ({ id, name }))
  const people = [...named, { id: message.client.user.id, name: profile.agent.name }]
  const { text, ids } = readMentions(message.content, people, /<@!?(\d+)>/g)
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const who = (id: string) => speakerOf(id, names.get(id) ?? id)
  const to = { mentions: ids.map(who), replyTo: mentions.repliedUser ? { from: who(mentions.repliedUser.id) } : undefined }
  const from = speakerOf(author.id, member?.displayName ?? author.displayName)
  await take(message, { id: message.id, text, from, files: attachments.map(({ url }) => url), ...to, atMs }, people)
})
client.on("interactionCreate", async (press) => {
  if (!press.isButton()) return
  await press.deferUpdate()
  // A press says what its choice says.
  await take(press.message, { id: press.id, text: press.customId, from: speakerOf(press.user.id, press.user.displayName) })
})
client.on("error", console.error).once("clientReady", ({ user }) => console.log(`${user.username} listens. Ctrl-C ends it.`))
await client.login(DISCORD_TOKEN)

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => agent.close().then(() => Promise.all([client.destroy(), store.close()])))
