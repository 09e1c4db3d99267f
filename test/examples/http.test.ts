import { DefaultChatTransport } from "ai"
import OpenAI from "openai"
import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, startChatServer } from "../support/chat-server.ts"
import { examplePackage } from "./support/example-package.ts"
import { answersOf, promptOf } from "./support/model-answers.ts"
import { type ExampleStart, exampleFolder, homeOfExample, type RunningExample, startExample } from "./support/running-example.ts"

const folder = exampleFolder("http") ?? ""

/** The chat state behind `useChat`, as far as it is used here. */
interface AiSdkReact {
  readonly Chat: new (options: {
    id: string
    transport: unknown
  }) => {
    readonly messages: readonly { readonly role: string; readonly parts: readonly { type: string; text?: string }[] }[]
    readonly status: string
    readonly error: Error | undefined
    sendMessage(message: { text: string }): Promise<void>
  }
}

interface AgUiClient {
  readonly HttpAgent: new (options: {
    url: string
    headers: object
    threadId: string
    initialMessages: readonly object[]
  }) => {
    runAgent(): Promise<{ readonly newMessages: readonly { readonly role: string; readonly content?: string }[] }>
  }
}

describe.skipIf(folder === "")("examples/http", () => {
  let [model, server, url] = [] as unknown as [ChatServer, RunningExample, string]
  let start: ExampleStart

  beforeEach(async ({ onTestFinished }) => {
    model = await startChatServer()
    onTestFinished(() => model.close())
    const env = { KEYS: "ann:key-a,bob:key-b", PORT: "0", OPENAI_BASE_URL: model.baseUrl }
    start = { program: [folder, "server.ts"], env, cwd: homeOfExample() }
    await restart()
  })

  const restart = async () => {
    server = startExample(start)
    await server.shows("Ctrl-C ends it.")
    url = /http:\/\/localhost:\d+/.exec(server.written.out)?.[0] ?? ""
  }
  const client = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })
  const chat = async (headers: Readonly<Record<string, string>>) => {
    const { Chat } = await examplePackage<AiSdkReact>(folder, "@ai-sdk/react")
    return new Chat({ id: "c", transport: new DefaultChatTransport({ api: `${url}/api/chat`, headers }) })
  }
  const textOf = ({ messages }: Awaited<ReturnType<typeof chat>>) =>
    messages.at(-1)?.parts.flatMap(({ type, text }) => (type === "text" ? [text] : []))

  test("answers the openai client, who has a key, and ends at Ctrl-C", async () => {
    model.reply(...answersOf("Hello."))
    const ask = { model: "Fay", messages: [{ role: "user" as const, content: "hi" }] }
    expect((await client("key-a").chat.completions.create(ask)).choices[0]?.message.content).toBe("Hello.")
    await expect(client("key-c").chat.completions.create(ask)).rejects.toMatchObject({ status: 401 })
    await expect(client("key-a").chat.completions.create({ ...ask, model: "Luna" })).rejects.toMatchObject({ status: 404 })
    expect(await server.stop()).toEqual({ code: 0, errors: "" })
  })

  test("is a chat of useChat, which a user alone goes on with, also after a restart", async () => {
    model.reply(...answersOf("Nice.", "Momo.", "I do not know."))
    const headers = { authorization: "Bearer key-a", "x-conversation": "kitchen" }
    const first = await chat(headers)
    await first.sendMessage({ text: "My cat is Momo." })
    expect([first.status, first.error, textOf(first)]).toEqual(["ready", undefined, ["Nice."]])
    await server.stop()
    await restart()
    const second = await chat(headers)
    await second.sendMessage({ text: "What is its name?" })
    expect(textOf(second)).toEqual(["Momo."])
    expect(promptOf(model, 1)).toContain("My cat is Momo.")
    const other = await chat({ ...headers, authorization: "Bearer key-b" })
    await other.sendMessage({ text: "What is its name?" })
    expect(promptOf(model, 2)).not.toContain("My cat is Momo.")
  })

  test("answers HttpAgent of AG-UI", async () => {
    model.reply(...answersOf("Hello."))
    const { HttpAgent } = await examplePackage<AgUiClient>(folder, "@ag-ui/client")
    const agent = new HttpAgent({
      url: `${url}/ag-ui`,
      headers: { authorization: "Bearer key-a" },
      threadId: "t",
      initialMessages: [{ id: "1", role: "user", content: "hi" }],
    })
    expect((await agent.runAgent()).newMessages).toEqual([expect.objectContaining({ role: "assistant", content: "Hello." })])
  })
})
