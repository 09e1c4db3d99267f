import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, startChatServer } from "../support/chat-server.ts"
import { type DiscordServer, messageData, startDiscord, token, type WebSocketPackage } from "./support/discord-server.ts"
import { examplePackage } from "./support/example-package.ts"
import { answersOf, decision, payment, promptOf } from "./support/model-answers.ts"
import {
  botCommand,
  exampleFolder,
  homeOfExample,
  homeWithPay,
  type RunningExample,
  startExample,
  withPackages,
} from "./support/running-example.ts"

const packages = exampleFolder("discord") ?? ""

const person = (id: string, name: string) => ({ id, username: name, global_name: name, discriminator: "0", avatar: null })
const [ann, bob] = [person("7", "Ann"), person("8", "Bob")]
const me = { ...person("99", "fay"), bot: true }
let next = 0
const inPrivate = (content: string) => messageData({ id: `${++next}`, channel_id: "41", channel_type: 1, author: ann, content })
const member = { roles: [], joined_at: "2026-01-01T00:00:00Z", deaf: false, mute: false, flags: 0 }
const inGroup = (content: string, more: object = {}) =>
  messageData({ id: `${++next}`, channel_id: "42", guild_id: "500", author: ann, content, member, ...more })
const pressed = (id: string, more: object) => ({
  ...{ id, application_id: "99", type: 3, version: 1, token: "t", entitlements: [], authorizing_integration_owners: {} },
  ...{ attachment_size_limit: 1, locale: "en-US", ...more },
})

describe.skipIf(packages === "")("promptstrata bot discord", () => {
  let [model, discord] = [] as unknown as [ChatServer, DiscordServer]

  beforeEach(async ({ onTestFinished }) => {
    model = await startChatServer()
    onTestFinished(() => model.close())
    discord = await startDiscord(await examplePackage<WebSocketPackage>(packages, "ws"))
  })

  /** Starts `promptstrata bot discord ./bot.toml`. */
  const start = (
    args: readonly string[] = [],
    cwd = withPackages(homeOfExample(), packages),
    env: Record<string, string> = {},
  ) => {
    const own = {
      DISCORD_TOKEN: token,
      DISCORD_API: discord.api,
      OPENAI_BASE_URL: model.baseUrl,
      PROMPTSTRATA_MODEL: "gpt-5-mini",
    }
    return startExample({ program: botCommand("discord", "./bot.toml", ...args), env: { ...own, ...env }, cwd })
  }
  const listening = async (bot: RunningExample) => {
    await bot.shows("fay listens")
    return bot
  }
  const texts = async (count: number) => (await discord.sent.reach(count)).map(({ content }) => content)

  test("N32 an edit of the last private message is answered in its place, and a reaction is heard", async () => {
    const bot = await listening(start())
    model.reply(...answersOf("Cake?", "Pie, then.", "You like it."))
    const said = inPrivate("I like cake.")
    const id = `${next}`
    discord.dispatch("MESSAGE_CREATE", said)
    expect(await texts(1)).toEqual(["Cake?"])
    // The preview of a link is no edit.
    discord.dispatch("MESSAGE_UPDATE", { ...said, embeds: [] })
    discord.dispatch("MESSAGE_UPDATE", { ...said, content: "I like pie.", edited_timestamp: "2026-01-01T00:00:01Z" })
    expect(await texts(2)).toEqual(["Cake?", "Pie, then."])
    expect(promptOf(model, 1)).not.toContain("I like cake.")
    const emoji = { id: null, name: "👍" }
    const reaction = { user_id: "7", channel_id: "41", message_id: id, emoji, type: 0, burst: false }
    discord.dispatch("MESSAGE_REACTION_ADD", reaction)
    discord.dispatch("MESSAGE_CREATE", inPrivate("What did I do?"))
    expect((await texts(3)).at(-1)).toBe("You like it.")
    expect(promptOf(model, 2)).toContain("👍")
    expect(model.calls).toHaveLength(3)
    expect(await bot.stop()).toMatchObject({ code: 0 })
  })

  test("N26 answers, keeps the conversation over a restart, and at Ctrl-C lets a running answer end", async () => {
    const cwd = withPackages(homeOfExample(), packages)
    const bot = await listening(start([], cwd))
    const { promise: after, resolve: release } = Promise.withResolvers<void>()
    model.reply(...answersOf("Nice."), { ...answersOf("Momo.")[0], after })
    discord.dispatch("MESSAGE_CREATE", inPrivate("My cat is Momo."))
    expect(await texts(1)).toEqual(["Nice."])
    discord.dispatch("MESSAGE_CREATE", inPrivate("What is its name?"))
    await model.called(2)
    bot.interrupt()
    await bot.tells("for running answers")
    release()
    const { code, errors } = await bot.ended
    expect([code, errors]).toEqual([0, expect.stringMatching(/Ended\.\n$/)])
    expect(await texts(2)).toEqual(["Nice.", "Momo."])
    await listening(start([], cwd))
    model.reply(...answersOf("Momo, still."))
    discord.dispatch("MESSAGE_CREATE", inPrivate("And now?"))
    await texts(3)
    for (const words of ["My cat is Momo.", "Nice.", "What is its name?"]) expect(promptOf(model, 2)).toContain(words)
  })

  test("N26 a picture, a reminder, a command and an approval, which an operator may answer", async () => {
    const bot = await listening(start(["--operator", "discord:8"], withPackages(homeWithPay(), packages)))
    model.reply(...answersOf("A dot."))
    const { url } = discord.keep("dot.png")
    const attachment = { id: "1", filename: "dot.png", size: 70, url, proxy_url: url, content_type: "image/png" }
    discord.dispatch("MESSAGE_CREATE", messageData({ ...inPrivate(""), attachments: [attachment] }))
    await texts(1)
    expect(promptOf(model, 0)).toContain("%[dot.png]")
    const args = { title: "tea", schedule_time: "+1s" }
    model.reply(decision({ action: "tool", tool: "add_schedule", args }), ...answersOf("I will.", "Tea time!"))
    discord.dispatch("MESSAGE_CREATE", inPrivate("Remind me of my tea."))
    expect(await texts(3)).toEqual(["A dot.", "I will.", "Tea time!"])
    model.reply(payment, ...answersOf("Paid."))
    discord.dispatch("MESSAGE_CREATE", inGroup("<@99> pay!", { mentions: [me] }))
    const asked = (await discord.sent.reach(4)).at(-1)
    const message = messageData({ id: "1001", channel_id: "42", author: me, content: asked?.content })
    const data = { component_type: 2, custom_id: asked?.components?.[0]?.components[0]?.custom_id }
    const at = { channel: { id: "42", type: 0 }, channel_id: "42", guild_id: "500", message, data }
    discord.dispatch("INTERACTION_CREATE", pressed("2001", { ...at, member: { ...member, user: bob, permissions: "0" } }))
    expect((await texts(5)).at(-1)).toBe("Paid.")
    discord.dispatch("MESSAGE_CREATE", inPrivate("/memory off"))
    expect((await texts(6)).at(-1)).toContain("memory")
    expect(await bot.stop()).toMatchObject({ code: 0 })
  })

  test("N26 speaks the language of --locale, to the person who runs it and in its chats", async () => {
    const bot = start(["--locale", "zh-CN"])
    await bot.shows("fay 已上线")
    discord.dispatch("MESSAGE_CREATE", inPrivate("/memory off"))
    expect(await texts(1)).toEqual([expect.stringMatching(/[\u4e00-\u9fff]/u)])
  })

  test("N26 a wrong token, and a connection that Discord closes for good, are told without the token", async () => {
    const wrong = start([], undefined, { DISCORD_TOKEN: "OTk.another" })
    const { code, errors } = await wrong.ended
    expect([code, errors]).toEqual([2, expect.stringContaining("expected to listen at Discord, which failed: An invalid token")])
    const right = await listening(start())
    discord.hangUp(4004)
    expect(await right.ended).toMatchObject({ code: 2, errors: expect.stringContaining("for good, with the code 4004") })
    for (const { written } of [wrong, right]) expect(written.out + written.errors).not.toMatch(/\.another|\.secret/)
  })
})
