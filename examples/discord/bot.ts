import { Client, type MessageCreateOptions, Partials, type SendableChannels } from "discord.js"
import { type BotOptions, createBot, printMentions, readMentions } from "promptstrata/bots"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { DISCORD_TOKEN = "", DISCORD_API = "https://discord.com/api", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const [store, profile] = await Promise.all([openStore("./data"), loadProfile(PROFILE)])
const client = new Client({
  intents: ["Guilds", "GuildMessages", "DirectMessages", "MessageContent"],
  partials: [Partials.Channel], // direct messages
  allowedMentions: { parse: ["users"], repliedUser: true }, // nobody can make the bot call @everyone
  rest: { api: DISCORD_API },
})
const chat: BotOptions["chat"] = ({ conversation }, answered) => {
  const channel = async () => (await client.channels.fetch(conversation.slice("discord:".length))) as SendableChannels
  const behind = answered && { reply: { messageReference: answered.id, failIfNotExists: false } }
  const send = async (message: MessageCreateOptions) => (await channel()).send({ ...message, ...behind })
  const people = [answered?.from ?? [], answered?.mentions ?? []].flat().filter(({ id }) => id !== profile.agent.id)
  return {
    limit: 2000,
    locale: profile.locale,
    sendText: (content) => send({ content }),
    sendFile: ({ path, base64 }) => send({ files: [{ attachment: Buffer.from(base64, "base64"), name: path }] }),
    ask: ({ question: content, choices }) => send({ content, components: [{ type: 1, components: choices.map(button) }] }),
    showTyping: async () => (await channel()).sendTyping(),
    // The ids begin with `discord:`.
    print: (words) => printMentions(words, people as Record<"id" | "name", string>[], ({ id }) => `<@${id.slice(8)}>`),
  }
}
const bot = createBot({ profile, model: openaiModel(MODEL), store, shouldAnswer: {}, chat })
const button = ({ label, say }: { label: string; say: string }) => ({ type: 2, style: 2, label, custom_id: say }) as const
const speakerOf = (id: string, name: string) => ({ id: id === client.user?.id ? profile.agent.id : `discord:${id}`, name })

client.on("messageCreate", async (message) => {
  const { id, author, member, mentions, attachments: files, createdTimestamp: atMs } = message
  if (author.bot) return
  const named = [...mentions.users.values(), author].map(({ id, displayName: name }) => ({ id, name }))
  const people = [...named, { id: message.client.user.id, name: profile.agent.name }]
  const { text, ids } = readMentions(message.content, people, /<@!?(\d+)>/g)
  const who = (id: string) => speakerOf(id, people.find((one) => one.id === id)?.name ?? id)
  const to = { mentions: ids.map(who), replyTo: mentions.repliedUser ? { from: who(mentions.repliedUser.id) } : undefined, atMs }
  const said = { id, text, from: speakerOf(author.id, (member ?? author).displayName), files: files.map(({ url }) => url), ...to }
  await bot.take({ conversation: `discord:${message.channelId}`, audience: message.inGuild() ? "group" : "private" }, said)
})
client.on("interactionCreate", async (press) => {
  if (!press.isButton()) return
  await press.deferUpdate()
  // A press says what its choice says.
  const said = { id: press.id, text: press.customId, from: speakerOf(press.user.id, press.user.displayName) }
  await bot.take({ conversation: `discord:${press.channelId}`, audience: press.inGuild() ? "group" : "private" }, said)
})
client.on("error", console.error).once("clientReady", ({ user }) => console.log(`${user.username} listens. Ctrl-C ends it.`))
await client.login(DISCORD_TOKEN)

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => bot.close().then(() => Promise.all([client.destroy(), store.close()])))
