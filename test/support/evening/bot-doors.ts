import { EventEmitter } from "node:events"
import { expect } from "vitest"
import { type Bot, createBot } from "../../../src/apps/bots/create-bot.ts"
import type { BotQuestion } from "../../../src/apps/bots/deliver-turn.ts"
import { token as discordToken, messageData, startDiscord, type WebSocketPackage } from "../../examples/support/discord-server.ts"
import { picture } from "../../examples/support/picture.ts"
import { startTelegram, token } from "../../examples/support/telegram-server.ts"
import { type Door, type Life, shownCall } from "./life.ts"

/** A door behind which reminders ring. */
interface BotDoor extends Door {
  idle(): Promise<void>
}

/** A bot at a server of Telegram's form, with the chat of `examples/telegram`. */
export async function telegramDoor({ next }: Life): Promise<BotDoor> {
  const telegram = await startTelegram()
  telegram.keep("cat.png", picture)
  const api = `${telegram.url}/bot${token}`
  const call = async (method: string, fields: object) =>
    ((await (await fetch(`${api}/${method}`, { method: "POST", body: JSON.stringify(fields) })).json()) as { result: never })
      .result
  const keysOf = ({ choices }: BotQuestion) => [choices.map(({ label, say }) => ({ text: label, callback_data: say }))]
  const start = (): Bot =>
    createBot({
      ...next(),
      chat: ({ conversation }) => ({
        ...{ limit: 4096, locale: "en" },
        sendText: (text) => call("sendMessage", { chat_id: Number(conversation), text }),
        // The other doors have their buttons to other answers on their pages.
        ask: (asked) =>
          "id" in asked &&
          call("sendMessage", { chat_id: 7, text: asked.question, reply_markup: { inline_keyboard: keysOf(asked) } }),
      }),
    })
  let bot = start()
  let [offset, count] = [0, 0]
  const push = async (fields: object): Promise<void> => {
    telegram.push(fields as never)
    const updates: readonly Record<string, never>[] = await call("getUpdates", { offset })
    for (const { update_id, message, callback_query: press } of updates) {
      const { message_id, text, caption, photo = [] } = (message ?? {}) as Record<string, never>
      const { id = `${message_id}`, data } = (press ?? {}) as Record<string, never>
      const files = (photo as readonly { file_id: string }[]).map(({ file_id }) => `${telegram.url}/file/bot${token}/${file_id}`)
      const words = { id, text: data ?? text ?? caption ?? "", files }
      await bot.take({ conversation: "7", audience: "private" }, { ...words, from: { id: "ann", name: "Ann" } })
      offset = Number(update_id) + 1
    }
    await bot.idle()
  }
  const ann = { id: 7, first_name: "Ann" }
  const messageOf = (more: object) => ({
    message: { message_id: ++count, date: 1, chat: { ...ann, type: "private" }, from: ann, ...more },
  })
  return {
    showPhoto: (caption) => push(messageOf({ caption, photo: [{ file_id: "cat.png" }] })),
    say: (text) => push(messageOf({ text })),
    async restart() {
      await bot.close()
      bot = start()
    },
    allow: () => {
      const keys = telegram.sent.all.at(-1)?.fields.reply_markup as { inline_keyboard: { callback_data: string }[][] }
      return push({ callback_query: { id: "press", from: ann, data: keys.inline_keyboard[0]?.[0]?.callback_data } })
    },
    again: () => push(messageOf({ text: "/regenerate" })),
    seen: () => telegram.sent.all.map(({ fields }) => shownCall(String(fields.text))),
    idle: () => bot.agent.idle(),
  }
}

/** A gateway of Discord within the process: what the server tells of reaches `tell`. */
function gatewayTo(tell: (event: DiscordEvent) => void): WebSocketPackage {
  class Gateway extends EventEmitter {
    readonly clients = new Set([
      { on: () => undefined, terminate: () => undefined, send: (text: string) => tell(JSON.parse(text) as DiscordEvent) },
    ] as never[])
    constructor() {
      super()
      setImmediate(() => this.emit("listening"))
    }
    address() {
      return { port: 1 }
    }
    close(): void {}
  }
  return { WebSocketServer: Gateway }
}

interface DiscordEvent {
  readonly t: string
  readonly d: Readonly<Record<string, never>>
}

/** A bot at a server of Discord's form, with the chat of `examples/discord`. */
export async function discordDoor({ next }: Life): Promise<BotDoor> {
  const events: DiscordEvent[] = []
  const discord = await startDiscord(gatewayTo((event) => events.push(event)))
  const post = (path: string, body: object) =>
    fetch(`${discord.api}/v10${path}`, {
      method: "POST",
      headers: { authorization: `Bot ${discordToken}` },
      body: JSON.stringify(body),
    })
  const keysOf = ({ choices }: BotQuestion) => choices.map(({ label, say }) => ({ type: 2, style: 2, label, custom_id: say }))
  const start = (): Bot =>
    createBot({
      ...next(),
      chat: ({ conversation }) => {
        const send = (message: object) => post(`/channels/${conversation}/messages`, message)
        return {
          ...{ limit: 2000, locale: "en" },
          sendText: (content) => send({ content }),
          ask: (asked) =>
            "id" in asked && send({ content: asked.question, components: [{ type: 1, components: keysOf(asked) }] }),
        }
      },
    })
  let bot = start()
  let count = 0
  const push = async (type: string, data: object): Promise<void> => {
    discord.dispatch(type, data)
    for (const { t, d } of events.splice(0)) {
      const isPress = t === "INTERACTION_CREATE"
      if (isPress) await post(`/interactions/${d.id}/${d.token}/callback`, { type: 6 })
      const { content, attachments = [], data = {} } = d as Readonly<Record<string, never>>
      const files = (attachments as readonly { url: string }[]).map(({ url }) => url)
      const words = { id: String(d.id), text: isPress ? (data as { custom_id: string }).custom_id : (content ?? ""), files }
      await bot.take({ conversation: String(d.channel_id), audience: "private" }, { ...words, from: { id: "ann", name: "Ann" } })
    }
    await bot.idle()
  }
  const ann = { id: "7", username: "ann", global_name: "Ann" }
  const say = (content: string, attachments: readonly object[] = []) =>
    push("MESSAGE_CREATE", messageData({ id: `${++count}`, channel_id: "41", author: ann, content, attachments }))
  return {
    showPhoto: (words) => say(words, [{ id: "1", filename: "cat.png", url: discord.keep("cat.png").url }]),
    say: (words) => say(words),
    async restart() {
      await bot.close()
      bot = start()
    },
    async allow() {
      const [key] = discord.sent.all.at(-1)?.components?.[0]?.components ?? []
      await push("INTERACTION_CREATE", {
        id: "2001",
        token: "t",
        channel_id: "41",
        user: ann,
        data: { custom_id: key?.custom_id },
      })
      expect(discord.acknowledged).toEqual(["2001"])
    },
    again: () => say("/regenerate"),
    seen: () => discord.sent.all.map(({ content }) => shownCall(content ?? "")),
    idle: () => bot.agent.idle(),
  }
}
