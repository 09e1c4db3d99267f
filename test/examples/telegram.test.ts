import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, startChatServer } from "../support/chat-server.ts"
import { answersOf, decision, payment, promptOf } from "./support/model-answers.ts"
import { picture } from "./support/picture.ts"
import {
  type ExampleStart,
  exampleFolder,
  homeOfExample,
  homeWithPay,
  type RunningExample,
  startExample,
} from "./support/running-example.ts"
import { startTelegram, type TelegramServer, token } from "./support/telegram-server.ts"

const folder = exampleFolder("telegram")

const ann = { id: 7, is_bot: false, first_name: "Ann" }
const group = { id: -100, type: "supergroup", title: "Tea" }

let next = 0
const messageOf = (text: string, more: object = {}) => ({
  message: { message_id: ++next, date: 1_700_000_000, chat: { ...ann, type: "private" }, from: ann, text, ...more },
})

describe.skipIf(folder === undefined)("examples/telegram", () => {
  let [model, telegram, bot] = [] as unknown as [ChatServer, TelegramServer, RunningExample]
  let start: ExampleStart

  beforeEach(async ({ onTestFinished }) => {
    model = await startChatServer()
    onTestFinished(() => model.close())
    telegram = await startTelegram()
    const env = { TELEGRAM_TOKEN: token, TELEGRAM_API: telegram.url, OPENAI_BASE_URL: model.baseUrl }
    start = { program: [folder as string, "bot.ts"], env, cwd: homeOfExample() }
    await restart()
  })

  const restart = async () => {
    bot = startExample(start)
    await bot.shows("@fay_bot listens")
  }
  const answers = (...messages: readonly string[]) => model.reply(...answersOf(...messages))

  test("answers a private message, shows that it types, and ends at Ctrl-C", async () => {
    answers("Hello, Ann.")
    telegram.push(messageOf("hi"))
    expect(await telegram.sent.reach(1)).toEqual([{ method: "sendMessage", fields: { chat_id: 7, text: "Hello, Ann." } }])
    expect(telegram.typing.all[0]?.fields).toMatchObject({ chat_id: 7, action: "typing" })
    expect(await bot.stop()).toEqual({ code: 0, errors: "" })
  })

  test("splits a long answer within the limit of Telegram", async () => {
    answers("A sentence of words. ".repeat(300))
    telegram.push(messageOf("tell me more"))
    const texts = (await telegram.sent.reach(2)).map(({ fields }) => String(fields.text))
    expect(texts.map((text) => text.endsWith("words."))).toEqual([true, true])
    expect(texts.join(" ")).toBe("A sentence of words. ".repeat(300).trim())
  })

  test("in a group it listens, and answers who mentions it or replies to it, as a reply", async () => {
    answers("Green tea.", "You are welcome.")
    telegram.push(messageOf("I like green tea.", { chat: group }))
    telegram.push(messageOf("@fay_bot what does Ann like?", { chat: group, from: { ...ann, id: 8, first_name: "Bob" } }))
    const [first] = await telegram.sent.reach(1)
    expect(first?.fields).toMatchObject({ chat_id: -100, text: "Green tea.", reply_parameters: { message_id: next } })
    for (const words of ["I like green tea.", "what does Ann like?", "Ann", "Bob"]) expect(promptOf(model, 0)).toContain(words)
    expect(promptOf(model, 0)).not.toContain("@fay_bot")
    telegram.push(messageOf("Thanks!", { chat: group, reply_to_message: { message_id: 1, from: { id: 12345 }, chat: group } }))
    expect((await telegram.sent.reach(2)).at(-1)?.fields).toMatchObject({ text: "You are welcome." })
    expect(model.calls).toHaveLength(2)
  })

  test("takes photos in, with and without a caption", async () => {
    telegram.keep("small", Buffer.from("too small"))
    telegram.keep("photos/cat.png", picture)
    const photo = [{ file_id: "small" }, { file_id: "photos/cat.png" }]
    answers("A cat.", "Again a cat.")
    telegram.push(messageOf("", { text: undefined, caption: "Who is this?", photo }))
    await telegram.sent.reach(1)
    expect(promptOf(model, 0)).toContain("Who is this?")
    // The model is known by its name to see pictures.
    for (const shown of ["%[cat.png]", "data:image/png;base64,"]) expect(promptOf(model, 0)).toContain(shown)
    expect(promptOf(model, 0)).not.toContain(token)
    telegram.push(messageOf("", { text: undefined, photo }))
    expect((await telegram.sent.reach(2)).map(({ fields }) => fields.text)).toEqual(["A cat.", "Again a cat."])
    telegram.push(messageOf("", { text: undefined, photo: [{ file_id: "gone" }] }))
    expect((await telegram.sent.reach(3)).at(-1)?.fields.text).toContain("could not use that file")
    expect(model.calls).toHaveLength(2)
  })

  test("N22 an album is one message with all its pictures and words; the next one is another", async () => {
    for (const name of ["a.png", "b.png", "c.png"]) telegram.keep(`photos/${name}`, picture)
    answers("Three.", "One more.")
    const part = (name: string, more: object = {}) =>
      messageOf("", { text: undefined, media_group_id: "g1", photo: [{ file_id: `photos/${name}` }], ...more })
    telegram.push(part("a.png"))
    telegram.push(part("b.png", { caption: "Which one?" }))
    telegram.push(part("c.png"))
    await telegram.sent.reach(1)
    for (const words of ["%[a.png]", "%[b.png]", "%[c.png]", "Which one?"]) expect(promptOf(model, 0)).toContain(words)
    telegram.push(part("a.png", { media_group_id: "g2" }))
    expect((await telegram.sent.reach(2)).map(({ fields }) => fields.text)).toEqual(["Three.", "One more."])
    expect(model.calls).toHaveLength(2)
  })

  test("N22 N34 stickers, videos and the like are named in words, and forwarded words are marked", async () => {
    answers("Ha!", "Nice.", "A GIF.", "I come.", "Tea.", "Five!", "Here.", "I know him.", "Bob says.", "News.", "Old news.")
    const place = { latitude: 1, longitude: 2 }
    const poll = { id: "p", question: "Tea or coffee?", options: [{ text: "Tea" }, { text: "Coffee" }] }
    const [user, chat] = [
      { id: 8, is_bot: false, first_name: "Bob" },
      { id: -100, type: "channel", title: "News" },
    ] as const
    const forward = (forward_origin: object, text: string) => ({ forward_origin: { date: 1, ...forward_origin }, text })
    const video = { file_id: "v", duration: 3, width: 1, height: 1 }
    const messages = [
      [{ sticker: { file_id: "s", type: "regular", emoji: "😺" } }, "(sends a sticker 😺)"],
      [{ video, caption: "My cat." }, "(sends a video) My cat."],
      [{ animation: video, document: video }, "(sends a GIF)"],
      [{ location: place }, "(sends a location)"],
      [{ poll }, "(sends a poll Tea or coffee? / Tea / Coffee)"],
      [{ dice: { emoji: "🎲", value: 5 } }, "(sends a die 🎲 5)"],
      [{ location: place, venue: { location: place, title: "Tea house" } }, "(sends a location Tea house)"],
      [{ contact: { phone_number: "1", first_name: "Carl" } }, "(sends a contact Carl)"],
      [forward({ type: "user", sender_user: user }, "I live in Rome."), "(sends a message forwarded from Bob) I live in Rome."],
      [forward({ type: "channel", chat, message_id: 1 }, "/new"), "(sends a message forwarded from News) /new"],
      [forward({ type: "chat", sender_chat: {} }, "Late."), "(sends a forwarded message) Late."],
    ] as const
    for (const [at, [more, words]] of messages.entries()) {
      telegram.push(messageOf("", { text: undefined, ...more }))
      await telegram.sent.reach(at + 1)
      expect(promptOf(model, at)).toContain(words)
    }
  })

  test("answers an edited message anew, and knows a reaction with the next one", async () => {
    answers("Mimi?", "Momo!", "I saw it.")
    telegram.push(messageOf("My cat is Mimo."))
    await telegram.sent.reach(1)
    telegram.push({ edited_message: { ...messageOf("My cat is Momo.").message, message_id: --next, edit_date: 1_700_000_001 } })
    await telegram.sent.reach(2)
    expect(promptOf(model, 1)).not.toContain("Mimo")
    const reaction = { chat: { ...ann, type: "private" }, message_id: 1_001, user: ann, date: 1_700_000_002, old_reaction: [] }
    telegram.push({ message_reaction: { ...reaction, new_reaction: [{ type: "emoji", emoji: "👍" }] } })
    telegram.push(messageOf("Did you see?"))
    await telegram.sent.reach(3)
    expect(promptOf(model, 2)).toContain("(reacts with 👍)")
  })

  test("sends a file that the answer shows", async () => {
    const cwd = homeOfExample('[files]\nfolder = "."\n[output]\nfile_references = true\n')
    writeFileSync(join(cwd, "list.txt"), "milk")
    await bot.stop()
    start = { ...start, cwd }
    await restart()
    answers("Here it is: %[list.txt]")
    telegram.push(messageOf("Show me the list."))
    const sent = await telegram.sent.reach(2)
    expect(sent.map(({ method }) => method)).toEqual(["sendMessage", "sendDocument"])
    expect(sent[1]?.fields.document).toEqual({ name: "list.txt", text: "milk" })
  })

  test("N11 asks with buttons, before a restart; a press after it runs the call once, by the person who was asked", async () => {
    await bot.stop()
    start = { ...start, cwd: homeWithPay() }
    await restart()
    model.reply(payment)
    telegram.push(messageOf("Pay!", { chat: group, reply_to_message: { message_id: 1, from: { id: 12345 }, chat: group } }))
    const [asked] = await telegram.sent.reach(1)
    const markup = asked?.fields.reply_markup as
      | { readonly inline_keyboard: { text: string; callback_data: string }[][] }
      | undefined
    const keys = markup?.inline_keyboard ?? []
    expect(asked?.fields.text).toContain("Ann, may I do this? pay()")
    expect(keys[0]?.map(({ text }) => text)).toEqual(["Yes", "No"])
    await bot.stop()
    await restart()
    answers("Paid.")
    const press = (id: string, from: object) => ({
      callback_query: {
        id,
        from,
        chat_instance: "1",
        message: { message_id: 1_001, date: 1, chat: group },
        data: keys[0]?.[0]?.callback_data,
      },
    })
    telegram.push(press("a", { ...ann, id: 8, first_name: "Bob" }))
    expect((await telegram.sent.reach(2)).at(-1)?.fields.text).toBe("That question is for somebody else to answer.")
    telegram.push(press("b", ann))
    expect((await telegram.sent.reach(3)).at(-1)?.fields).toMatchObject({ chat_id: -100, text: "Paid." })
    telegram.push(press("c", ann))
    expect((await telegram.sent.reach(4)).at(-1)?.fields.text).toContain("answered already")
    expect(readFileSync(join(start.cwd ?? "", "paid"), "utf8")).toBe("once\n")
    expect(telegram.presses).toEqual(["a", "b", "c"])
  })

  test("T49 a reminder rings by itself in its chat, also one that came due while the bot was away", async () => {
    const remind = (title: string, schedule_time: string) =>
      model.reply(decision({ action: "tool", tool: "add_schedule", args: { title, schedule_time } }))
    remind("tea", "+1s")
    answers("I will.", "Tea time, Ann!")
    telegram.push(messageOf("Remind me of my tea."))
    expect((await telegram.sent.reach(2)).map(({ fields }) => [fields.chat_id, fields.text])).toEqual([
      [7, "I will."],
      [7, "Tea time, Ann!"],
    ])
    expect(promptOf(model, 2)).toContain("tea")
    remind("bread", "+3s")
    answers("I will, again.", "The bread, Ann!")
    telegram.push(messageOf("And of my bread."))
    await telegram.sent.reach(3)
    await bot.stop()
    await restart()
    expect((await telegram.sent.reach(4)).at(-1)?.fields).toMatchObject({ chat_id: 7, text: "The bread, Ann!" })
  })

  test("waits when Telegram asks it to, and tells a failure of the model in words", async () => {
    telegram.refuseNext(429, { parameters: { retry_after: 0 } })
    answers("Once.")
    telegram.push(messageOf("hi"))
    await telegram.sent.reach(1)
    model.reply({ status: 401, body: '{"error":{"message":"bad key sk-1"}}' })
    telegram.push(messageOf("again"))
    const texts = (await telegram.sent.reach(2)).map(({ fields }) => fields.text)
    expect(texts).toEqual(["Once.", expect.stringContaining("not set up correctly")])
    expect(bot.written.errors).toContain("sk-1")
  })

  test("goes on after a restart in the same conversation", async () => {
    answers("Nice.", "Momo.")
    telegram.push(messageOf("My cat is Momo."))
    await telegram.sent.reach(1)
    await bot.stop()
    await restart()
    telegram.push(messageOf("What is its name?"))
    await telegram.sent.reach(2)
    for (const words of ["My cat is Momo.", "Nice.", "What is its name?"]) expect(promptOf(model, 1)).toContain(words)
    expect(model.calls).toHaveLength(2)
  })
})
