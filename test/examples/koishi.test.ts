import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, startChatServer } from "../support/chat-server.ts"
import { examplePackage } from "./support/example-package.ts"
import { answersOf, decision, payment, promptOf } from "./support/model-answers.ts"
import { type ExampleStart, exampleFolder, homeWithPay, type RunningExample, startExample } from "./support/running-example.ts"
import { elementWords, type SatoriServer, startSatori, token, type WebSocketPackage } from "./support/satori-server.ts"

const folder = exampleFolder("koishi") ?? ""

const ann = { id: "7", name: "Ann" }
const bob = { id: "8", name: "Bob" }
const group = { channel: { id: "42", type: 0 }, guild: { id: "42", name: "Tea" } }

let next = 0
const inPrivate = (content: string) => ({
  ...{ channel: { id: "private:7", type: 1 }, user: ann },
  message: { id: `${++next}`, content },
})
const inGroup = (content: string, user = ann) => ({
  ...{ ...group, user, member: { user } },
  message: { id: `${++next}`, content },
})

describe.skipIf(folder === "")("examples/koishi", () => {
  let [model, satori, bot] = [] as unknown as [ChatServer, SatoriServer, RunningExample]

  let start: ExampleStart

  beforeEach(async ({ onTestFinished }) => {
    model = await startChatServer()
    onTestFinished(() => model.close())
    satori = await startSatori(await examplePackage<WebSocketPackage>(folder, "ws"))
    const env = { SATORI_URL: satori.endpoint, SATORI_TOKEN: token, OPENAI_BASE_URL: model.baseUrl }
    start = { program: [folder, "bot.ts"], env }
    bot = startExample(start)
    await bot.shows("Fay listens")
  })

  test("answers a private message, escapes what it says, and ends at Ctrl-C", async () => {
    model.reply(...answersOf('Hello, Ann. 1 < 2 <at id="all"/>'))
    satori.dispatch("message-created", inPrivate("hi <b>&amp; hello</b>"))
    const content = 'Hello, Ann. 1 &lt; 2 &lt;at id="all"/&gt;'
    expect(await satori.sent.reach(1)).toEqual([expect.objectContaining({ channel_id: "private:7", content })])
    expect(promptOf(model, 0)).toContain("hi & hello")
    expect(await bot.stop()).toMatchObject({ code: 0 })
  })

  test("in a group it listens, and answers who mentions it or replies to it", async () => {
    model.reply(...answersOf("Green tea.", "You are welcome."))
    satori.dispatch("message-created", inGroup("I like green tea."))
    satori.dispatch("message-created", inGroup(`<at id="99" name="Fay"/> what does <at id="7" name="Ann"/> like?`, bob))
    expect(await satori.sent.reach(1)).toEqual([expect.objectContaining({ channel_id: "42", content: "Green tea." })])
    for (const words of ["I like green tea.", "@Fay what does @Ann like?", "Bob"]) expect(promptOf(model, 0)).toContain(words)
    const quote = '<quote id="1001"><user id="99" name="Fay"/>Green tea.</quote>'
    satori.dispatch("message-created", inGroup(`${quote}Thanks!`, bob))
    expect((await satori.sent.reach(2)).at(-1)?.content).toBe("You are welcome.")
    expect(model.calls).toHaveLength(2)
  })

  test("N11 asks in words, and the words that it names answer, in a group behind a mention", async () => {
    await bot.stop()
    bot = startExample({ ...start, cwd: homeWithPay() })
    await bot.shows("Fay listens")
    model.reply(payment, ...answersOf("Paid."))
    satori.dispatch("message-created", inGroup('<at id="99" name="Fay"/> pay!'))
    const code = /"Yes (\w{6})"/.exec((await satori.sent.reach(1))[0]?.content.replaceAll("&quot;", '"') ?? "")?.[1]
    satori.dispatch("message-created", inGroup(`<at id="99" name="Fay"/> yes ${code}`, bob))
    expect((await satori.sent.reach(2)).at(-1)?.content).toContain("for somebody else")
    satori.dispatch("message-created", inGroup(`yes ${code}`))
    expect((await satori.sent.reach(3)).at(-1)?.content).toBe("Paid.")
  })

  test("T49 a reminder rings by itself in its channel", async () => {
    const args = { title: "tea", schedule_time: "+1s" }
    model.reply(decision({ action: "tool", tool: "add_schedule", args }), ...answersOf("I will.", "Tea time, Ann!"))
    satori.dispatch("message-created", inPrivate("Remind me of my tea."))
    const sent = await satori.sent.reach(2)
    expect(sent.map(({ channel_id, content }) => [channel_id, content])).toEqual([
      ["private:7", "I will."],
      ["private:7", "Tea time, Ann!"],
    ])
  })

  test("N34 videos, faces and cards are named in words, forwarded words are marked, and lines stay lines", async () => {
    model.reply(...answersOf(...elementWords.map((_, at) => `Answer ${at}.`)))
    for (const [at, [content, words]] of elementWords.entries()) {
      satori.dispatch("message-created", inPrivate(content))
      await satori.sent.reach(at + 1)
      expect(promptOf(model, at)).toContain(words)
    }
  })

  test("takes pictures in", async () => {
    model.reply(...answersOf("A dot."))
    satori.dispatch("message-created", inPrivate(`<img src="${satori.endpoint}/dot.png"/>`))
    expect((await satori.sent.reach(1))[0]?.content).toBe("A dot.")
    for (const shown of ["%[dot.png]", "data:image/png;base64,"]) expect(promptOf(model, 0)).toContain(shown)
  })
})
