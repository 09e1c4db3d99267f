import OpenAI from "openai"
import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { type Bot, createBot } from "../../src/apps/bots/create-bot.ts"
import { createHandler } from "../../src/apps/server/handler.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { scheduleTools } from "../../src/node/schedule-tools.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { countingIds, expectScriptsDone, manualClock, manualTimers, scriptedModel } from "../../src/testing/index.ts"
import type { ApprovalQuestion } from "../../src/trace/approval-question.ts"
import { picture } from "../examples/support/picture.ts"
import { startTelegram, token } from "../examples/support/telegram-server.ts"
import { callTool, finish } from "../support/agents.ts"
import { PageChat } from "../support/page-chat.ts"
import { tempFolder } from "../support/temp-folder.ts"

afterEach(expectScriptsDone)

const minuteMs = 60_000
const base64 = picture.toString("base64")

/** A way in which a person talks with the character. Each resolves once the person sees what came of it. */
interface Door {
  showPhoto(words: string): Promise<void>
  say(words: string): Promise<void>
  /** The process ends, and the next one begins. */
  restart(): Promise<void>
  /** Allows the call that the person was asked about. */
  allow(): Promise<void>
  /** Asks for another answer than the last. */
  again(): Promise<void>
  /** The words that came, in their order; a question as the call that it asks about. */
  seen(): readonly string[]
}

/** The life behind a door: what outlives a process, and the parts of the next one. `after` are the answers to words after the alarm was due. */
function life(...after: readonly string[]) {
  const clock = manualClock(Date.UTC(2026, 10, 27, 20))
  const timers = manualTimers(clock)
  const store = createInMemoryStore({ ports: { clock, timers } })
  const ids = countingIds()
  const paid: string[] = []
  const pay = defineTool({
    ...{ name: "pay", description: "Sends money.", needsApproval: true, inputSchema: z.object({ to: z.string() }) },
    execute: ({ to }) => `${paid.push(to)} payments`,
  })
  const [addSchedule] = scheduleTools({ folder: tempFolder(), clock, locale: "en" })
  const rings = ({ messages }: Shown) => JSON.stringify(messages.at(-1)).includes("An alarm that was set for")
  const models = [
    scriptedModel([finish("A cat."), callTool("pay", { to: "Eve" })], { capabilities: { attachments: ["image/*"] } }),
    scriptedModel([
      finish("Paid."),
      callTool("add_schedule", { title: "drink water", schedule_time: "+10m" }),
      finish("I will remind you."),
      (request) => finish(rings(request) ? "Drink water!" : "No alarm rings."),
      ...after.map((answer) => (request: Shown) => finish(rings(request) ? "Drink water, as I said!" : answer)),
    ]),
  ] as const
  let process = 0
  const next = () => ({
    profile: resolveProfile({
      ...{ name: "fay", dialect: "layered", persona: "You are Fay.", locale: "en", timeZone: "UTC" },
      memory: { enabled: false },
    }),
    ...{ model: models[process++] ?? models[1], store, tools: [pay, addSchedule], ports: { clock, timers, ids } },
  })
  const pass = async (ms: number, idle: () => Promise<void>): Promise<void> => {
    await idle()
    timers.advance(ms)
    for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve))
    await idle()
  }
  return { paid, models, next, pass, store }
}
interface Shown {
  readonly messages: readonly { readonly content: unknown }[]
}
type Life = ReturnType<typeof life>

const shownCall = (text: string) => /may I do this\? (\S+\(.*?\))/.exec(text)?.[1] ?? text.trim()

/** A server over HTTP, which survives its processes under one address. */
function served({ next }: Life) {
  let agent = createAgent(next())
  const handlerOf = () =>
    createHandler({
      agents: { fay: agent },
      authorize: () => ({ user: "ann", name: "Ann", conversation: "home" }),
      onError: () => undefined,
    })
  let handle = handlerOf()
  return {
    fetch: async (input: unknown, init?: RequestInit) => handle(new Request(input as string, init)),
    idle: () => agent.idle(),
    async restart() {
      await agent.close()
      agent = createAgent(next())
      handle = handlerOf()
    },
  }
}

function openaiDoor(server: ReturnType<typeof served>): Door {
  const client = new OpenAI({ apiKey: "key", baseURL: "http://bot.test/v1", fetch: server.fetch as never, maxRetries: 0 })
  const messages: OpenAI.ChatCompletionMessageParam[] = []
  const answers: string[] = []
  const ask = async (content?: OpenAI.ChatCompletionUserMessageParam["content"]): Promise<void> => {
    if (content) messages.push({ role: "user", content })
    else messages.pop()
    const { choices } = await client.chat.completions.create({ model: "fay", messages })
    const text = choices[0]?.message.content ?? ""
    messages.push({ role: "assistant", content: text })
    answers.push(text)
  }
  return {
    showPhoto: (text) =>
      ask([
        { type: "text", text },
        { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
      ]),
    say: (words) => ask(words),
    restart: server.restart,
    allow: () => ask(`yes ${/"Yes (\w{6})"/.exec(answers.at(-1) ?? "")?.[1]}`),
    again: () => ask(),
    seen: () => answers.map(shownCall),
  }
}

function pageDoor(server: ReturnType<typeof served>): Door {
  const chat = new PageChat(server.fetch)
  const answers: string[] = []
  const look = (): void => {
    const { state, toolName, input } = (chat.part ?? {}) as unknown as Record<string, string>
    const asks = state === "approval-requested" ? `${toolName}(${Object.entries(input ?? {}).map((pair) => pair.join("="))})` : ""
    answers.push([...(chat.shown.at(-1)?.[1] ?? []), asks].join(""))
  }
  return {
    showPhoto: async (text) => {
      const url = `data:image/png;base64,${base64}`
      await chat.sendMessage({ text, files: [{ type: "file", mediaType: "image/png", filename: "cat.png", url }] })
      look()
    },
    say: async (text) => {
      await chat.sendMessage({ text })
      look()
    },
    restart: server.restart,
    allow: async () => {
      await chat.addToolApprovalResponse({ id: chat.part.approval.id, approved: true })
      await expect.poll(() => chat.part.state).toBe("output-available")
      await expect.poll(() => chat.status).toBe("ready")
      look()
    },
    again: async () => {
      await chat.regenerate()
      look()
    },
    seen: () => answers,
  }
}

function agUiDoor(server: ReturnType<typeof served>): Door {
  const messages: object[] = []
  const answers: string[] = []
  let interrupts: readonly { readonly id: string; readonly message: string }[] = []
  const run = async (more: object = {}): Promise<void> => {
    const input = { threadId: "t", runId: `${answers.length}`, messages, tools: [], context: [], state: {}, ...more }
    const response = await server.fetch("http://bot.test/ag-ui", { method: "POST", body: JSON.stringify(input) })
    const lines = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: "))
    const events = lines.map((line) => JSON.parse(line.slice(6)))
    const text = events.flatMap(({ type, delta }) => (type === "TEXT_MESSAGE_CONTENT" ? [delta] : [])).join("")
    interrupts = events.at(-1)?.outcome?.interrupts ?? []
    answers.push(text + interrupts.map(({ message }) => shownCall(message)).join())
    messages.push({ id: `a${answers.length}`, role: "assistant", content: text })
  }
  const ask = (content: unknown): Promise<void> => {
    messages.push({ id: `u${answers.length}`, role: "user", content })
    return run()
  }
  return {
    showPhoto: (text) =>
      ask([
        { type: "text", text },
        { type: "image", source: { type: "data", value: base64, mimeType: "image/png" } },
      ]),
    say: ask,
    restart: server.restart,
    allow: () => run({ resume: [{ interruptId: interrupts[0]?.id, status: "resolved", payload: { approved: true } }] }),
    again: () => {
      messages.pop()
      return run()
    },
    seen: () => answers,
  }
}

/** A bot at a server of Telegram's form, with the chat of `examples/telegram`. */
async function telegramDoor({ next }: Life): Promise<Door & { idle(): Promise<void> }> {
  const telegram = await startTelegram()
  telegram.keep("cat.png", picture)
  const api = `${telegram.url}/bot${token}`
  const call = async (method: string, fields: object) =>
    ((await (await fetch(`${api}/${method}`, { method: "POST", body: JSON.stringify(fields) })).json()) as { result: never })
      .result
  const keysOf = ({ choices }: ApprovalQuestion) => [choices.map(({ label, say }) => ({ text: label, callback_data: say }))]
  const start = (): Bot =>
    createBot({
      ...next(),
      chat: ({ conversation }) => ({
        ...{ limit: 4096, locale: "en" },
        sendText: (text) => call("sendMessage", { chat_id: Number(conversation), text }),
        ask: (asked) =>
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

/** The same evening: a photo, a call with approval, a restart, a reminder, a second thought. */
async function play(own: Life, door: Door, idle: () => Promise<void>): Promise<readonly string[]> {
  await door.showPhoto("Who is this?")
  await door.say("Pay Eve.")
  await door.restart()
  await door.allow()
  await door.say("Remind me to drink water in 10 minutes.")
  await own.pass(10 * minuteMs, idle)
  await door.say("Thanks!")
  await door.again()
  expect(JSON.stringify(own.models[0].requests[0]?.messages)).toContain('"mediaType":"image/png"')
  expect(own.paid).toEqual(["Eve"])
  return door.seen()
}

const begins = ["A cat.", "pay(to=Eve)", "Paid.", "I will remind you."]
describe("the same evening is seen alike", () => {
  test.each([
    ["the OpenAI API", openaiDoor],
    ["useChat of the AI SDK", pageDoor],
    ["AG-UI", agUiDoor],
  ])("through %s, where a reminder waits for the next visit", async (_, doorOf) => {
    const own = life("Any time.")
    const server = served(own)
    expect(await play(own, doorOf(server), server.idle)).toEqual([...begins, "Drink water!", "Any time."])
  })

  test("through a bot of Telegram, where a reminder rings", async () => {
    const own = life("You are welcome.", "Any time.")
    const door = await telegramDoor(own)
    expect(await play(own, door, door.idle)).toEqual([...begins, "Drink water!", "You are welcome.", "Any time."])
  })
})
