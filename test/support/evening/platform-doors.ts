import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { ConnectedBot } from "../../../src/apps/bots/create-bot.ts"
import { connectDiscord, type DiscordOptions } from "../../../src/apps/bots/discord/connect-discord.ts"
import { connectTelegram, type TelegramOptions } from "../../../src/apps/bots/telegram/connect-telegram.ts"
import { connectKoishi } from "../../../src/apps/cli/serve/bot.ts"
import type { Arrivals } from "../../examples/support/arrivals.ts"
import { token as discordToken, messageData, startDiscord, type WebSocketPackage } from "../../examples/support/discord-server.ts"
import { examplePackage } from "../../examples/support/example-package.ts"
import { picture } from "../../examples/support/picture.ts"
import {
  type WebSocketPackage as SatoriWebSockets,
  token as satoriToken,
  startSatori,
} from "../../examples/support/satori-server.ts"
import { startTelegram, token as telegramToken } from "../../examples/support/telegram-server.ts"
import { tempFolder } from "../temp-folder.ts"
import { type Door, type Life, shownCall } from "./life.ts"

/** A platform with the client package of an example, installed in `folder`. */
interface Platform {
  connect(parts: ReturnType<Life["next"]>): Promise<ConnectedBot>
  /** Tells the bot of a message of Ann's. */
  say(words: string, withPhoto?: boolean): void
  /** Presses the first button of the newest message, or types what it asks to type. */
  allow(): void
  readonly sent: Pick<Arrivals<unknown>, "reach" | "all">
  /** The words that the bot sent. */
  texts(): readonly string[]
}

/** A bot as `promptstrata bot` runs it. Each word of the person is answered by one message; buttons to other answers come behind. */
export async function platformDoor(platform: Platform, { next }: Life): Promise<Door & { idle(): Promise<void> }> {
  let bot = await platform.connect(next())
  const answered = async (tell: () => void): Promise<void> => {
    const count = platform.sent.all.length
    tell()
    await platform.sent.reach(count + 1)
  }
  onTestFinished(() => bot.close())
  return {
    showPhoto: (words) => answered(() => platform.say(words, true)),
    say: (words) => answered(() => platform.say(words)),
    async restart() {
      await bot.close()
      bot = await platform.connect(next())
    },
    allow: () => answered(() => platform.allow()),
    again: () => answered(() => platform.say("/regenerate")),
    seen: () =>
      platform
        .texts()
        .filter((text) => !/^\d+\/\d+$/.test(text))
        .map(shownCall),
    idle: () => bot.agent.idle(),
  }
}

export async function telegram(folder: string): Promise<Platform> {
  const grammy = await examplePackage<TelegramOptions["grammy"]>(folder, "grammy")
  const server = await startTelegram()
  server.keep("cat.png", picture)
  const ann = { id: 7, is_bot: false, first_name: "Ann" }
  let count = 0
  const messageOf = (more: object) => ({ message_id: ++count, date: 1, chat: { ...ann, type: "private" }, from: ann, ...more })
  return {
    connect: (parts) => connectTelegram({ ...parts, grammy, token: telegramToken, api: server.url }),
    say: (words, withPhoto) =>
      server.push({ message: messageOf(withPhoto ? { caption: words, photo: [{ file_id: "cat.png" }] } : { text: words }) }),
    allow() {
      const keys = server.sent.all.at(-1)?.fields.reply_markup as { inline_keyboard: { callback_data: string }[][] }
      const data = keys.inline_keyboard[0]?.[0]?.callback_data
      server.push({ callback_query: { ...{ id: "press", chat_instance: "c" }, from: ann, message: messageOf({}), data } })
    },
    sent: server.sent,
    texts: () => server.sent.all.map(({ fields }) => String(fields.text)),
  }
}

export async function discord(folder: string): Promise<Platform> {
  const package_ = await examplePackage<DiscordOptions["discord"]>(folder, "discord.js")
  const server = await startDiscord(await examplePackage<WebSocketPackage>(folder, "ws"))
  const ann = { id: "7", username: "ann", global_name: "Ann", discriminator: "0", avatar: null }
  const place = { channel_id: "41", channel_type: 1 }
  let count = 0
  const newest = {
    attachments: [{ ...{ id: "1", filename: "cat.png", size: 1, proxy_url: "" }, url: server.keep("cat.png").url }],
  }
  return {
    connect: (parts) => connectDiscord({ ...parts, discord: package_, token: discordToken, api: server.api }),
    say: (content, withPhoto) =>
      server.dispatch(
        "MESSAGE_CREATE",
        messageData({ ...place, id: `${++count}`, author: ann, content, ...(withPhoto && newest) }),
      ),
    allow: () =>
      server.dispatch("INTERACTION_CREATE", {
        ...{ id: "2001", application_id: "99", type: 3, version: 1, token: "t", entitlements: [], locale: "en-US" },
        ...{
          authorizing_integration_owners: {},
          attachment_size_limit: 1,
          channel_id: "41",
          channel: { id: "41", type: 1 },
          user: ann,
        },
        message: messageData({ ...place, id: "1001", author: ann, content: "" }),
        data: { component_type: 2, custom_id: server.sent.all.at(-1)?.components?.[0]?.components[0]?.custom_id },
      }),
    sent: server.sent,
    texts: () => server.sent.all.map(({ content }) => content ?? ""),
  }
}

/** The parts of Koishi's app that the test needs beside the bot. */
interface KoishiRest {
  readonly registry: { values(): Iterable<{ readonly name: string; dispose(): unknown }> }
  on(event: "login-updated", take: () => void): unknown
}

/** Koishi with its adapter of Satori. It has no buttons, so that the question is one of words. */
export async function koishi(folder: string): Promise<Platform> {
  const { default: package_ } = await examplePackage<{ default: Parameters<typeof connectKoishi>[0] }>(folder, "koishi")
  const server = await startSatori(await examplePackage<SatoriWebSockets>(folder, "ws"))
  const adapter = join(folder, "node_modules/koishi-plugin-satori")
  mkdirSync(adapter, { recursive: true })
  writeFileSync(join(adapter, "index.js"), `module.exports = require("@satorijs/adapter-satori")`)
  const lines = ["plugins:", "  http: {}", "  satori:", `    endpoint: ${server.endpoint}`, `    token: ${satoriToken}`]
  const user = { id: "7", name: "Ann" }
  const texts = () => server.sent.all.map(({ content }) => content.replaceAll("&quot;", '"'))
  let count = 0
  const say = (words: string, withPhoto = false) => {
    const content = withPhoto ? `${words}<img src="${server.endpoint}/dot.png"/>` : words
    server.dispatch("message-created", { channel: { id: "private:7", type: 1 }, user, message: { id: `${++count}`, content } })
  }
  return {
    async connect(parts) {
      const config = join(tempFolder({ "koishi.yml": lines.join("\n") }), "koishi.yml")
      const { promise: here, resolve } = Promise.withResolvers<void>()
      let end = (): unknown => undefined
      class Loader extends package_.Loader {
        override async createApp() {
          const app = await super.createApp()
          const rest = app as unknown as KoishiRest
          rest.on("login-updated", resolve)
          // Elsewhere the connection ends with the process.
          end = () => [...rest.registry.values()].find(({ name }) => name === "SatoriAdapter")?.dispose()
          return app
        }
        // They would add plugins to the package.json of this folder, and note the end in koishi.yml.
        async migrate(): Promise<void> {}
        async writeConfig(): Promise<void> {}
      }
      const bot = await connectKoishi({ ...package_, h: package_.h, Loader }, { ...parts, token: "" }, config)
      await here
      return { ...bot, close: () => bot.close().then(() => void end()) }
    },
    say,
    allow: () => say(`yes ${/"Yes (\w{6})"/.exec(texts().at(-1) ?? "")?.[1]}`),
    sent: server.sent,
    texts,
  }
}
