import { DefaultChatTransport } from "ai"
import OpenAI from "openai"
import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, chatChunk, eventStream, startChatServer } from "../support/chat-server.ts"
import { png } from "../support/pictures.ts"
import { examplePackage } from "./support/example-package.ts"
import { answersOf, payment, promptOf } from "./support/model-answers.ts"
import {
  type ExampleStart,
  exampleFolder,
  homeOfExample,
  homeWithPay,
  type RunningExample,
  startExample,
} from "./support/running-example.ts"

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
    stop(): Promise<void>
  }
}

interface AgUiClient {
  readonly HttpAgent: new (options: {
    url: string
    headers: object
    threadId: string
    initialMessages: readonly object[]
  }) => {
    readonly pendingInterrupts?: readonly { readonly id: string }[]
    runAgent(
      parameters?: object,
      subscriber?: { onEvent(given: { readonly event: { readonly type: string } }): void },
    ): Promise<{ readonly newMessages: readonly { readonly role: string; readonly content?: string }[] }>
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

  test("lets the pages of the README ask from a browser, and no others (N18)", async () => {
    const headers = { "access-control-request-method": "POST", "access-control-request-headers": "authorization,x-conversation" }
    const preflight = (origin: string) => fetch(`${url}/api/chat`, { method: "OPTIONS", headers: { ...headers, origin } })
    const allowed = await preflight("http://localhost:5173")
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, "http://localhost:5173"])
    expect(allowed.headers.get("access-control-allow-headers")).toContain("x-conversation")
    expect((await preflight("https://evil.test")).headers.has("access-control-allow-origin")).toBe(false)
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

  test("ends the turn of a chat of useChat that its user stops, and knows what it had shown", async () => {
    const begun = eventStream([chatChunk({ content: '{"action":"finish","message":"Once upon,' })], { done: false })
    model.reply({ body: begun, ending: "stall" }, ...answersOf("A time."))
    const headers = { authorization: "Bearer key-a", "x-conversation": "story" }
    const first = await chat(headers)
    const sending = first.sendMessage({ text: "Tell me a story." })
    await expect.poll(() => textOf(first)).toEqual(["Once upon,"])
    await first.stop()
    const stop = () => fetch(`${url}/api/chat/c/stream`, { method: "DELETE", headers })
    expect((await stop()).status).toBe(204)
    await Promise.all([sending, model.calls[0]?.closed])
    expect([first.status, (await stop()).status]).toEqual(["ready", 404])
    await first.sendMessage({ text: "What did you say?" })
    expect(textOf(first)).toEqual(["A time."])
    expect(promptOf(model, 1)).toContain("Once upon")
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

  test("N12 HttpAgent of AG-UI is interrupted by a call that waits, and resumes with the answer", async () => {
    await server.stop()
    start = { ...start, cwd: homeWithPay() }
    await restart()
    model.reply(payment, ...answersOf("Paid."))
    const { HttpAgent } = await examplePackage<AgUiClient>(folder, "@ag-ui/client")
    const initialMessages = [{ id: "1", role: "user", content: "Pay!" }]
    const headers = { authorization: "Bearer key-a", "x-conversation": "home" }
    const agent = new HttpAgent({ url: `${url}/ag-ui`, headers, threadId: "t", initialMessages })
    await agent.runAgent()
    const [interrupt] = agent.pendingInterrupts ?? []
    expect(interrupt).toMatchObject({ reason: "tool_call", message: expect.stringContaining("pay()") })
    const resume = [{ interruptId: interrupt?.id, status: "resolved", payload: { approved: true } }]
    expect((await agent.runAgent({ resume })).newMessages.at(-1)).toMatchObject({ role: "assistant", content: "Paid." })
  })

  test("shows HttpAgent of AG-UI the calls of tools, pictures that the model draws, and what failed", async () => {
    const picture = `data:image/png;base64,${Buffer.from(png(2, 3)).toString("base64")}`
    const call = {
      body: eventStream([
        chatChunk({ content: JSON.stringify({ action: "tool", tool: "calculate", args: { expression: "6*7" } }) }),
      ]),
    }
    const [answer] = answersOf("It is late.")
    const drawn = eventStream([chatChunk({ images: [{ type: "image_url", image_url: { url: picture } }] })], { done: false })
    model.reply(call, { body: drawn + (answer?.body ?? "") })
    const { HttpAgent } = await examplePackage<AgUiClient>(folder, "@ag-ui/client")
    const agent = () =>
      new HttpAgent({
        url: `${url}/ag-ui`,
        headers: { authorization: "Bearer key-a" },
        threadId: "t",
        initialMessages: [{ id: "1", role: "user", content: "What time is it?" }],
      })
    const events: { readonly type: string }[] = []
    const hearing = { onEvent: ({ event }: { readonly event: { readonly type: string } }) => void events.push(event) }
    const { newMessages } = await agent().runAgent({}, hearing)
    expect(newMessages).toMatchObject([
      {
        role: "assistant",
        toolCalls: [{ type: "function", function: { name: "calculate", arguments: JSON.stringify({ expression: "6*7" }) } }],
      },
      { role: "tool", content: expect.stringContaining("42") },
      { role: "assistant", content: "It is late." },
    ])
    expect(events).toContainEqual(
      expect.objectContaining({ type: "CUSTOM", name: "file", value: { mediaType: "image/png", url: picture } }),
    )
    events.length = 0
    // The script of the model's server is over: it answers with status 500.
    await agent()
      .runAgent({}, hearing)
      .catch(() => undefined)
    expect(events.at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code: "model",
      message: expect.stringContaining("cannot reach my language model"),
    })
  })
})
