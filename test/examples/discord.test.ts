import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, startChatServer } from "../support/chat-server.ts"
import { type DiscordServer, messageData, startDiscord, token, type WebSocketPackage } from "./support/discord-server.ts"
import { examplePackage } from "./support/example-package.ts"
import { answersOf, decision, payment, promptOf } from "./support/model-answers.ts"
import { type ExampleStart, exampleFolder, homeWithPay, type RunningExample, startExample } from "./support/running-example.ts"

const folder = exampleFolder("discord") ?? ""

const person = (id: string, name: string) => ({
  id,
  username: name.toLowerCase(),
  global_name: name,
  discriminator: "0",
  avatar: null,
})
const ann = person("7", "Ann")
const me = { ...person("99", "fay"), bot: true }

let next = 0
const inPrivate = (content: string) => messageData({ id: `${++next}`, channel_id: "41", channel_type: 1, author: ann, content })
const inGroup = (content: string, more: object = {}) =>
  messageData({
    ...{ id: `${++next}`, channel_id: "42", guild_id: "500", author: ann, content },
    member: { roles: [], joined_at: "2026-01-01T00:00:00Z", deaf: false, mute: false, flags: 0 },
    ...more,
  })

describe.skipIf(folder === "")("examples/discord", () => {
  let [model, discord, bot] = [] as unknown as [ChatServer, DiscordServer, RunningExample]

  let start: ExampleStart

  beforeEach(async ({ onTestFinished }) => {
    model = await startChatServer()
    onTestFinished(() => model.close())
    discord = await startDiscord(await examplePackage<WebSocketPackage>(folder, "ws"))
    const env = { DISCORD_TOKEN: token, DISCORD_API: discord.api, OPENAI_BASE_URL: model.baseUrl }
    start = { program: [folder, "bot.ts"], env }
    bot = startExample(start)
    await bot.shows("fay listens")
  })

  test("answers a direct message, shows that it types, and ends at Ctrl-C", async () => {
    model.reply(...answersOf("Hello, Ann."))
    discord.dispatch("MESSAGE_CREATE", inPrivate("hi"))
    expect(await discord.sent.reach(1)).toMatchObject([{ channel: "41", content: "Hello, Ann." }])
    expect(discord.typing.all).toContain("41")
    expect(await bot.stop()).toEqual({ code: 0, errors: "" })
  })

  test("N11 asks with buttons, and a press answers", async () => {
    await bot.stop()
    const cwd = homeWithPay()
    bot = startExample({ ...start, cwd })
    await bot.shows("fay listens")
    model.reply(payment, ...answersOf("Paid."))
    discord.dispatch("MESSAGE_CREATE", inPrivate("Pay!"))
    const [asked] = await discord.sent.reach(1)
    expect(asked?.content).toContain("Ann, may I do this? pay()")
    const buttons = asked?.components?.[0]?.components ?? []
    expect(buttons).toMatchObject([
      { type: 2, label: "Yes" },
      { type: 2, label: "No" },
    ])
    const message = messageData({ id: "1001", channel_id: "41", author: me, content: asked?.content })
    const data = { component_type: 2, custom_id: buttons[0]?.custom_id }
    const channel = { id: "41", type: 1 }
    const press = {
      id: "2001",
      application_id: "99",
      type: 3,
      version: 1,
      token: "t",
      entitlements: [],
      authorizing_integration_owners: {},
      attachment_size_limit: 1,
    }
    discord.dispatch("INTERACTION_CREATE", { ...press, channel, channel_id: "41", user: ann, message, data, locale: "en-US" })
    expect((await discord.sent.reach(2)).at(-1)).toMatchObject({ channel: "41", content: "Paid." })
    expect(discord.acknowledged).toEqual(["2001"])
    expect(readFileSync(join(cwd, "paid"), "utf8")).toBe("once\n")
  })

  test("T49 a reminder rings by itself in its chat", async () => {
    model.reply(decision({ action: "tool", tool: "add_schedule", args: { title: "tea", schedule_time: "+1s" } }))
    model.reply(...answersOf("I will.", "Tea time, Ann!"))
    discord.dispatch("MESSAGE_CREATE", inPrivate("Remind me of my tea."))
    const sent = await discord.sent.reach(2)
    expect(sent.map(({ channel, content }) => [channel, content])).toEqual([
      ["41", "I will."],
      ["41", "Tea time, Ann!"],
    ])
  })

  test("in a group it listens, answers who mentions it as a reply, and mentions in turn", async () => {
    model.reply(...answersOf("Ask @Ann, @everyone.", "You are welcome."))
    discord.dispatch("MESSAGE_CREATE", inGroup("I like green tea."))
    const bob = person("8", "Bob")
    discord.dispatch("MESSAGE_CREATE", inGroup("<@99> what does <@7> like?", { author: bob, mentions: [me, ann] }))
    const [first] = await discord.sent.reach(1)
    const reference = { message_id: `${next}` }
    expect(first).toMatchObject({ channel: "42", content: "Ask <@7>, @everyone.", message_reference: reference })
    expect(first).toMatchObject({ allowed_mentions: { parse: ["users"] } })
    for (const words of ["I like green tea.", "@Fay what does @Ann like?", "Bob"]) expect(promptOf(model, 0)).toContain(words)
    const replied = { message_reference: { message_id: "1001" }, referenced_message: inGroup("x", { author: me }) }
    discord.dispatch("MESSAGE_CREATE", inGroup("Thanks!", { ...replied, mentions: [me], type: 19 }))
    expect((await discord.sent.reach(2)).at(-1)).toMatchObject({ content: "You are welcome." })
    expect(model.calls).toHaveLength(2)
  })

  test("takes pictures in", async () => {
    model.reply(...answersOf("A dot."))
    const { url } = discord.keep("dot.png")
    const attachment = { id: "1", filename: "dot.png", size: 70, url, proxy_url: url, content_type: "image/png" }
    discord.dispatch("MESSAGE_CREATE", messageData({ ...inPrivate(""), attachments: [attachment] }))
    expect(await discord.sent.reach(1)).toMatchObject([{ content: "A dot." }])
    for (const shown of ["%[dot.png]", "data:image/png;base64,"]) expect(promptOf(model, 0)).toContain(shown)
  })

  test("N34 stickers and polls are named in words, and forwarded words are marked", async () => {
    model.reply(...answersOf("Ha!", "Tea.", "Rome?"))
    const sticker_items = [{ id: "1", name: "Happy cat", format_type: 1 }]
    const answers = ["Tea", "Coffee"].map((text, at) => ({ answer_id: at + 1, poll_media: { text } }))
    const poll = { question: { text: "Tea or coffee?" }, answers, expiry: null, allow_multiselect: false, layout_type: 1 }
    const { url } = discord.keep("dot.png")
    const attachments = [{ id: "1", filename: "dot.png", size: 70, url, proxy_url: url, content_type: "image/png" }]
    const forwarded = { message_reference: { type: 1, channel_id: "43", message_id: "1" } }
    const snapshot = { message: messageData({ content: "I live in Rome.", attachments }) }
    const messages = [
      [{ sticker_items }, "(sends a sticker Happy cat)"],
      [{ poll }, "(sends a poll Tea or coffee? / Tea / Coffee)"],
      [{ ...forwarded, message_snapshots: [snapshot] }, "(sends a forwarded message) I live in Rome."],
    ] as const
    for (const [at, [more, words]] of messages.entries()) {
      discord.dispatch("MESSAGE_CREATE", messageData({ ...inPrivate(""), ...more }))
      await discord.sent.reach(at + 1)
      expect(promptOf(model, at)).toContain(words)
    }
    expect(promptOf(model, 2)).toContain("%[dot.png]")
  })

  test("answers no bot, splits within 2,000 characters, and waits when it sends too much", async () => {
    model.reply(...answersOf("A sentence of words. ".repeat(150)))
    discord.limitNext(0.01)
    discord.dispatch("MESSAGE_CREATE", messageData({ ...inPrivate("hi"), author: { ...ann, id: "77", bot: true } }))
    discord.dispatch("MESSAGE_CREATE", inPrivate("tell me more"))
    const texts = (await discord.sent.reach(2)).map(({ content }) => content ?? "")
    expect(texts.join(" ")).toBe("A sentence of words. ".repeat(150).trim())
    expect(model.calls).toHaveLength(1)
  })
})
