import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, startChatServer } from "../support/chat-server.ts"
import { answersOf, decision, payment, promptOf } from "./support/model-answers.ts"
import { picture } from "./support/picture.ts"
import {
  botCommand,
  type ExampleStart,
  exampleFolder,
  homeOfExample,
  homeWithPay,
  type RunningExample,
  startExample,
  withPackages,
} from "./support/running-example.ts"
import { startTelegram, type TelegramServer, token } from "./support/telegram-server.ts"

let model: ChatServer

beforeEach(async ({ onTestFinished }) => {
  model = await startChatServer()
  onTestFinished(() => model.close())
})

const packages = exampleFolder("telegram") ?? ""

const ann = { id: 7, is_bot: false, first_name: "Ann" }
const bob = { id: 8, is_bot: false, first_name: "Bob" }
const group = { id: -100, type: "supergroup", title: "Tea" }
let next = 0
const messageOf = (text: string, more: object = {}) => ({
  message: { message_id: ++next, date: 1_700_000_000, chat: { ...ann, type: "private" }, from: ann, text, ...more },
})
const toFay = { reply_to_message: { message_id: 1, from: { id: 12345, first_name: "Fay" }, chat: group } }

/** Starts `promptstrata bot telegram ./bot.toml`. */
function startCommand(
  telegram: TelegramServer,
  { args = [], env = {}, ...more }: Partial<ExampleStart> & { args?: string[] } = {},
) {
  const own = {
    TELEGRAM_TOKEN: token,
    TELEGRAM_API: telegram.url,
    OPENAI_BASE_URL: model.baseUrl,
    PROMPTSTRATA_MODEL: "gpt-5-mini",
  }
  const program = botCommand("telegram", "./bot.toml", ...args)
  return startExample({ program, env: { ...own, ...env }, cwd: withPackages(homeOfExample(), packages), ...more })
}

describe.skipIf(packages === "")("promptstrata bot telegram", () => {
  let telegram: TelegramServer

  beforeEach(async () => {
    telegram = await startTelegram()
  })

  const texts = async (count: number) => (await telegram.sent.reach(count)).map(({ fields }) => fields.text)
  const listening = async (bot: RunningExample) => {
    await bot.shows("@fay_bot listens")
    return bot
  }

  test("N26 answers, keeps the conversation over a restart, and at Ctrl-C lets a running answer end", async () => {
    const cwd = withPackages(homeOfExample(), packages)
    const bot = await listening(startCommand(telegram, { cwd }))
    const { promise: after, resolve: release } = Promise.withResolvers<void>()
    model.reply(...answersOf("Nice."), { ...answersOf("Momo.")[0], after })
    telegram.push(messageOf("My cat is Momo."))
    expect(await texts(1)).toEqual(["Nice."])
    telegram.push(messageOf("What is its name?"))
    await model.called(2)
    bot.interrupt()
    await bot.tells("for running answers")
    release()
    const { code, errors } = await bot.ended
    expect([code, errors]).toEqual([0, expect.stringMatching(/Ended\.\n$/)])
    expect(await texts(2)).toEqual(["Nice.", "Momo."])
    await listening(startCommand(telegram, { cwd }))
    model.reply(...answersOf("Momo, still."))
    telegram.push(messageOf("And now?"))
    await texts(3)
    for (const words of ["My cat is Momo.", "Nice.", "What is its name?"]) expect(promptOf(model, 2)).toContain(words)
  })

  test("N26 an album, a reminder, a command and an approval, which an operator may answer", async () => {
    const bot = await listening(
      startCommand(telegram, { cwd: withPackages(homeWithPay(), packages), args: ["--operator", "telegram:8"] }),
    )
    for (const name of ["a.png", "b.png"]) telegram.keep(`photos/${name}`, picture)
    model.reply(...answersOf("Two."))
    const part = (name: string) =>
      messageOf("", { text: undefined, media_group_id: "g1", caption: name, photo: [{ file_id: `photos/${name}` }] })
    for (const name of ["a.png", "b.png"]) telegram.push(part(name))
    await texts(1)
    for (const words of ["%[a.png]", "%[b.png]"]) expect(promptOf(model, 0)).toContain(words)
    const args = { title: "tea", schedule_time: "+1s" }
    model.reply(decision({ action: "tool", tool: "add_schedule", args }), ...answersOf("I will.", "Tea time!"))
    telegram.push(messageOf("Remind me of my tea."))
    expect(await texts(3)).toEqual(["Two.", "I will.", "Tea time!"])
    model.reply(payment, ...answersOf("Paid."))
    telegram.push(messageOf("Pay!", { chat: group, ...toFay }))
    const asked = (await telegram.sent.reach(4)).at(-1)?.fields.reply_markup as
      | { readonly inline_keyboard: readonly { readonly callback_data: string }[][] }
      | undefined
    const message = { message_id: 1_001, date: 1, chat: group }
    const data = asked?.inline_keyboard[0]?.[0]?.callback_data
    telegram.push({ callback_query: { id: "p", from: bob, chat_instance: "1", message, data } })
    expect((await texts(5)).at(-1)).toBe("Paid.")
    telegram.push(messageOf("/memory off"))
    expect((await texts(6)).at(-1)).toContain("memory")
    expect(await bot.stop()).toMatchObject({ code: 0 })
  })

  test("N26 speaks the language of --locale, to the person who runs it and in its chats", async () => {
    const bot = startCommand(telegram, { args: ["--locale", "zh-CN"] })
    await bot.shows("@fay_bot 已上线")
    telegram.push(messageOf("/memory off"))
    expect(await texts(1)).toEqual([expect.stringMatching(/[\u4e00-\u9fff]/u)])
  })

  test("N26 a wrong token, and a file that cannot be loaded, are told without the token", async () => {
    const wrong = "12345:another"
    const bot = startCommand(telegram, { env: { TELEGRAM_TOKEN: wrong } })
    const { code, errors } = await bot.ended
    expect([code, errors]).toEqual([2, expect.stringContaining("401: Unauthorized")])
    const right = await listening(startCommand(telegram))
    telegram.push(messageOf("", { text: undefined, photo: [{ file_id: "gone" }] }))
    expect(await texts(1)).toEqual([expect.stringContaining("could not use that file")])
    await right.stop()
    for (const { written } of [bot, right]) expect(written.out + written.errors).not.toMatch(/:another|:secret/)
  })
})
