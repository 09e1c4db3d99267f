import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, chatChunk, eventStream, startChatServer } from "../support/chat-server.ts"
import { answersOf, promptOf } from "./support/model-answers.ts"
import { exampleFolder, homeOfExample, type RunningExample, startExample } from "./support/running-example.ts"

const folder = exampleFolder("terminal") ?? ""

describe.skipIf(folder === "")("examples/terminal", () => {
  let [model, cwd] = [] as unknown as [ChatServer, string]

  beforeEach(async ({ onTestFinished }) => {
    model = await startChatServer()
    onTestFinished(() => model.close())
    cwd = homeOfExample()
  })

  const start = async (): Promise<RunningExample> => {
    const chat = startExample({ program: [folder, "chat.ts"], env: { OPENAI_BASE_URL: model.baseUrl }, cwd })
    await chat.shows("> ")
    return chat
  }

  test("answers line by line, and goes on later in the same conversation", async () => {
    model.reply(...answersOf("Nice \u001b[31mto meet you."), ...answersOf("You told me, Momo."))
    const first = await start()
    first.type("My cat is Momo.")
    await first.shows("Nice [31mto meet you.\n> ")
    first.endInput()
    expect(await first.ended).toEqual({ code: 0, errors: "" })
    const second = await start()
    expect(second.written.out).toBe("Friend: My cat is Momo.\nFay: Nice [31mto meet you.\n> ")
    second.type("What is its name?")
    await second.shows("You told me, Momo.")
    expect(promptOf(model, 1)).toContain("My cat is Momo.")
  })

  test("Ctrl-C ends the answer, then the chat, and an error is told in words", async () => {
    const half = { body: eventStream([chatChunk({ content: '{"action":"finish","message":"Once upon' })], { done: false }) }
    model.reply({ ...half, ending: "stall" }, { status: 401, body: "{}" })
    const chat = await start()
    chat.type("Tell me a story.")
    await chat.shows("Once")
    chat.interrupt()
    await chat.shows("\n> ")
    chat.type("hi")
    await chat.shows("has to look at this.\n> ")
    expect(await chat.stop()).toEqual({ code: 0, errors: "" })
  })
})
