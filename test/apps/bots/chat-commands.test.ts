import { afterEach, describe, expect, test } from "vitest"
import type { BotChat } from "../../../src/apps/bots/deliver-turn.ts"
import { commandList, runCommand } from "../../../src/loop/agent/second-thoughts/chat-commands.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { expectScriptsDone, manualClock, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"
import { takeMessage } from "../../support/take-message.ts"

afterEach(expectScriptsDone)
const ann = { id: "ann", name: "Ann" }

interface BotOptions extends Partial<BotChat> {
  readonly audience?: "private" | "group"
  readonly greetings?: readonly string[]
}

function bot(answers: readonly string[] = [], options: BotOptions = {}) {
  const { audience = "private", greetings, ...more } = options
  const clock = manualClock(0)
  const model = scriptedModel(answers.map(finish))
  const { agent } = testAgent(
    model,
    { memory: { enabled: false }, greetings },
    { store: createInMemoryStore({ ports: { clock } }), ports: { clock } },
  )
  const session = agent.session({ conversation: "c", audience })
  const sent: string[] = []
  const chat: BotChat = { limit: 4096, sendText: (text) => void sent.push(text), ...more }
  /** Hands words to the bot, and returns what it sent. */
  const say = async (text: string) => {
    clock.advance(1_000)
    await takeMessage(session, { id: "1", text, from: ann }, chat)
    return sent.splice(0)
  }
  const history = async () => (await session.history()).map(({ text }) => text)
  return { say, history, session, model }
}

describe("N13 commands in a chat", () => {
  test("/start greets with the card's greeting once, and /new begins anew with it", async () => {
    const { say, history } = bot(["Fine."], { greetings: ["Welcome, traveller."] })
    expect(await say("/start")).toEqual(["Welcome, traveller."])
    expect(await say("/start")).toEqual(["This conversation has begun. /new begins another one."])
    expect(await say("How are you?")).toEqual(["Fine."])
    expect(await history()).toEqual(["Welcome, traveller.", "How are you?", "Fine."])
    expect(await say("/new@fay_bot")).toEqual(["Welcome, traveller."])
    expect(await history()).toEqual(["Welcome, traveller."])
  })

  test("/start and /new say something of their own where there is no greeting, in the chat's language", async () => {
    expect(await bot().say("/start")).toEqual(["Hello! Write something."])
    expect(await bot([], { locale: "zh-CN" }).say("/new")).toEqual(["新的会话开始了，记忆保留。"])
  })

  test("/regenerate, /edit and /undo change the last words", async () => {
    const { say, history } = bot(["One.", "Two.", "Three."])
    expect(await say("Count.")).toEqual(["One."])
    expect(await say("/regenerate")).toEqual(["Two."])
    expect(await say("/edit Count on.")).toEqual(["Three."])
    expect(await history()).toEqual(["Count on.", "Three."])
    expect(await say("/undo")).toEqual(["Taken back."])
    expect(await history()).toEqual([])
  })

  test("/undo leaves the greeting and what was said before", async () => {
    const { say, history } = bot(["One.", "Two."], { greetings: ["Hi."] })
    for (const words of ["/start", "1", "2", "/undo"]) await say(words)
    expect(await history()).toEqual(["Hi.", "1", "One."])
    await say("/undo")
    expect(await history()).toEqual(["Hi."])
    expect(await say("/undo")).toEqual(["There is nothing like that in this conversation yet."])
  })

  test("/swipe goes round the answers, and /swipe N names one", async () => {
    const { say, history } = bot(["One.", "Two.", "Three."])
    for (const words of ["Count.", "/regenerate", "/regenerate"]) await say(words)
    const shown = []
    for (const words of ["/swipe", "/swipe", "/swipe", "/swipe 2", "/swipe 2", "/swipe 9", "/swipe x"])
      shown.push(...(await say(words)))
    const other = "There is no other one. /regenerate makes another answer."
    expect(shown).toEqual(["One.", "Two.", "Three.", "Two.", other, other, other])
    expect(await history()).toEqual(["Count.", "Two."])
  })

  test("/swipe changes the greeting of a conversation that has only that", async () => {
    const { say, history } = bot([], { greetings: ["Hi.", "Good evening."] })
    await say("/start")
    expect(await say("/swipe")).toEqual(["Good evening."])
    expect(await history()).toEqual(["Good evening."])
    expect(await say("/swipe 1")).toEqual(["Hi."])
  })

  describe("N33 buttons go to the greeting or answer before and behind", () => {
    const asking = (more: Partial<BotOptions> = {}) => {
      const asked: string[] = []
      const ask: BotChat["ask"] = ({ question, choices }) =>
        void asked.push([question, ...choices.map(({ label, say }) => `${label} ${say}`)].join(" "))
      return { asked, options: { ...more, ask } }
    }

    test("after /regenerate and /swipe, where there is more than one", async () => {
      const { asked, options } = asking()
      const { say } = bot(["One.", "Two.", "Three."], options)
      await say("Count.")
      expect(asked).toEqual([])
      for (const words of ["/regenerate", "/regenerate", "/swipe 2", "/swipe 1", "/swipe 9"]) await say(words)
      expect(asked).toEqual(["2/2 ◀ /swipe 1", "3/3 ◀ /swipe 2", "2/3 ◀ /swipe 1 ▶ /swipe 3", "1/3 ▶ /swipe 2", "1/3 ▶ /swipe 2"])
      await say("/undo")
      expect(asked).toHaveLength(5)
    })

    test("after /start and /new", async () => {
      const { asked, options } = asking({ greetings: ["Hi.", "Good evening."] })
      const { say } = bot(["Fine."], options)
      expect(await say("/start")).toEqual(["Hi."])
      expect(await say("/swipe 2")).toEqual(["Good evening."])
      expect(asked.splice(0)).toEqual(["1/2 ▶ /swipe 2", "2/2 ◀ /swipe 1"])
      await say("How are you?")
      await say("/swipe")
      expect(asked).toEqual([])
    })

    test("in a group only for whoever runs the bot", async () => {
      const { asked, options } = asking({ greetings: ["Hi.", "Good evening."], audience: "group" })
      await bot([], options).say("/start")
      expect(asked).toEqual([])
      await bot([], { ...options, operators: [ann.id] }).say("/start")
      expect(asked).toEqual(["1/2 ▶ /swipe 2"])
    })
  })

  test("N46 /help lists the commands with what they do, in the chat's language, also in an empty conversation", async () => {
    const { say, model } = bot([])
    const [en] = await say("/help")
    expect(en?.split("\n")).toEqual(commandList("en").map(({ command, description }) => `/${command}  ${description}`))
    const [zh] = await bot([], { locale: "zh-CN" }).say("/help")
    expect(zh).toContain("/help  列出这些命令")
    expect(model.requests).toEqual([])
  })

  test("/continue lets the character go on", async () => {
    const { say, history } = bot(["Once upon a time", "there was a cat."])
    await say("A tale!")
    expect(await say("/continue")).toEqual(["there was a cat."])
    expect((await history())[2]).toBe("Go on.")
  })

  test("N45 /continue tells the character where it stopped; words of it that come again are left out, and the trace tells them", async () => {
    const { say, history, model, session } = bot(["Once upon a time there", "upon a time there was a cat.", "Yes."])
    await say("A story!")
    const events = session.send("Go on.", { answerLimit: { behind: "Once upon a time there" } })
    const { trace } = await events.result
    expect((await history()).at(-1)).toBe(" was a cat.")
    expect(trace.warnings.map(({ message }) => message)).toContain(
      'The answer repeated "upon a time there" of the text that it goes on with; it is left out.',
    )
    await say("/continue")
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(String.raw`它的结尾是：\" was a cat.\"`)
  })

  test("each that works on what was said says so in an empty conversation", async () => {
    for (const words of ["/regenerate", "/swipe", "/edit x", "/undo", "/continue"])
      expect(await bot().say(words), words).toEqual(["There is nothing like that in this conversation yet."])
  })

  test.each(["/edit", "/memory", "/forget"])("%s without words says how", async (words) => {
    expect((await bot().say(words))[0]).toContain(`${words} `)
  })

  test("/memory and /forget tell where nothing is remembered", async () => {
    const { say } = bot()
    expect([await say("/memory tea"), await say("/forget m1")].flat()).toEqual([
      "Nothing is remembered about that.",
      "There is no memory of yours with this id.",
    ])
  })

  test("/schedule shows the reminders of whoever asks, with their times, and drops one of them", async () => {
    const { say, session } = bot()
    const { id } = await session.wakeAt("+2h", "water the tea", { from: ann, timeZone: "Asia/Shanghai" })
    await session.wakeAt("+1h", "feed the cat", { from: { id: "bob", name: "Bob" } })
    expect(await say("/schedule")).toEqual([`${id}: 1970-01-01 10:00 (Asia/Shanghai) water the tea`])
    expect(await say("/schedule cancel x")).toEqual(["There is no reminder of yours with this id. /schedule shows them."])
    expect(await say(`/schedule cancel ${id}`)).toEqual(["It does not ring any more."])
    expect(await say("/schedule")).toEqual(["Nothing waits to ring."])
    const daily = await session.wakeAt("+2h", "water the tea", { from: ann, timeZone: "Asia/Shanghai", repeat: "daily" })
    const told = `${daily.id}: 1970-01-01 10:00 (Asia/Shanghai, every day at 10:00) water the tea`
    expect(await say("/schedule")).toEqual([told])
  })

  test("what changes a group's conversation is for operators", async () => {
    const member = bot(["One."], { audience: "group" })
    await member.say("Count.")
    expect(await member.say("/new")).toEqual(["In a group only whoever runs this bot may do that."])
    expect(await member.history()).toEqual(["Count.", "One."])
    expect(await bot([], { audience: "group", operators: ["ann"] }).say("/new")).toEqual(["A new conversation. Memories stay."])
  })

  test.each(["/etc/hosts", "/foo", "/", "/constructor", "1/2 /new"])("%s is a message", async (words) => {
    const { say, history } = bot(["Yes."])
    expect(await say(words)).toEqual(["Yes."])
    expect(await history()).toEqual([words, "Yes."])
  })

  test("the list for a platform has the same names in both languages, which Telegram and Discord take", () => {
    const [en, zh] = [commandList("en"), commandList("zh-CN")]
    expect(zh.map(({ command }) => command)).toEqual(en.map(({ command }) => command))
    for (const { command, description } of [...en, ...zh]) {
      expect(command).toMatch(/^[a-z]{1,32}$/)
      expect(description.length).toBeLessThanOrEqual(100)
    }
  })
})

test("N13 /memory off and on switch the conversation's memory, in a group only for operators", async () => {
  const { say, session } = bot()
  expect(await say("/memory off")).toEqual([
    "Memory is switched off: in this conversation nothing is recalled or learnt until /memory on.",
  ])
  expect(await session.memoryOn()).toBe(false)
  expect(await say("/memory on")).toEqual(["Memory is not switched off any more. What was said meanwhile is not learnt."])
  expect(await session.memoryOn()).toBe(true)
  expect(await say("/memory off the coast")).toEqual(["Nothing is remembered about that."])
  const group = bot([], { audience: "group", locale: "zh-CN" })
  expect(await group.say("/memory off ")).toEqual(["在群里，只有管理这个机器人的人可以这样做。"])
  expect(await group.session.memoryOn()).toBe(true)
  const led = bot([], { audience: "group", locale: "zh-CN", operators: ["ann"] })
  expect(await led.say("/memory@fay_bot off")).toEqual([expect.stringContaining("记忆已关掉")])
  expect([await led.session.memoryOn(), await session.memoryOn()]).toEqual([false, true])
})

test("N13 /memory shows with ids what /forget forgets, of whoever asks", async () => {
  const { agent } = testAgent(
    backgroundModel({ turn: () => finish("Noted.") }),
    { memory: { keys: false } },
    { store: createInMemoryStore() },
  )
  const session = agent.session({ conversation: "c", audience: "private" })
  await session.send("I like green tea from Uji.", { from: ann }).result
  await agent.idle()
  const run = (line: string, from = ann) =>
    runCommand(line, { session, from, locale: "en", mayChange: true }) as Promise<{ text: string }>
  const [, id = ""] = /^(\S+): .*green tea/m.exec((await run("/memory green tea")).text) ?? []
  expect((await run(`/forget ${id}`, { id: "bob", name: "Bob" })).text).toBe("There is no memory of yours with this id.")
  expect((await run(`/forget ${id}`)).text).toBe("Forgotten.")
  expect((await run("/memory green tea")).text).not.toContain(`${id}:`)
})
