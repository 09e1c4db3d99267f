import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { openaiModel } from "../../../src/adapters/models/openai/index.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { testAgent } from "../../support/agents.ts"
import { type ChatServer, chatChunk, eventStream, startChatServer } from "../../support/chat-server.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

const now = defineTool({ name: "now", description: "", repeatable: true, execute: () => "12:00" })

/** An answer of these deltas that calls the tool `now`. */
const calling = (id: string, ...deltas: readonly object[]) => ({
  body: eventStream([
    ...deltas.map((delta) => chatChunk(delta)),
    chatChunk({ tool_calls: [{ index: 0, id, function: { name: "now", arguments: "{}" } }] }),
    chatChunk({}, { finish_reason: "tool_calls" }),
  ]),
  packetBytes: 5,
})
const saying = (...deltas: readonly object[]) => ({
  body: eventStream([...deltas.map((delta) => chatChunk(delta)), chatChunk({}, { finish_reason: "stop" })]),
})

interface WireMessage {
  readonly role: string
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly [field: string]: unknown
}

/** The messages of the model in each request so far. */
const ofModel = () =>
  server.calls.map(({ body }) => (body.messages as readonly WireMessage[]).filter(({ role }) => role === "assistant"))

function agentOf(model: string, store = createInMemoryStore(), baseUrl = server.baseUrl) {
  const made = openaiModel({ model, apiKey: "k", baseUrl, capabilities: { tools: true } })
  return testAgent(made, { dialect: "layered", loop: { mode: "native" } }, { tools: [now], store, runJobs: false })
}

describe("T41 thoughts that a provider wants back", () => {
  test.each([
    ["deepseek-v4", [{ reasoning_content: "h" }, { reasoning_content: "m" }], { reasoning_content: "hm" }],
    ["some", [{ reasoning_content: "" }, { content: "" }], { reasoning_content: "" }],
    ["deepseek-v4", [{ content: "" }], { reasoning_content: "" }],
    ["some", [{ reasoning: "h" }, { reasoning: "m" }], { reasoning: "hm" }],
    ["some", [{ reasoning: "hm", reasoning_content: "hm" }], { reasoning_content: "hm" }],
    [
      "some",
      [{ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", index: 0, text: "hm", signature: "c2ln" }] }],
      { reasoning_details: [{ type: "reasoning.text", index: 0, text: "hm", signature: "c2ln" }] },
    ],
    ["MiniMax-M2", [{ content: "<thi" }, { content: "nk>hm</th" }, { content: "ink>\n" }], { content: "<think>hm</think>\n" }],
  ] as const)(
    "T41 of %s, %j, go back with the next step and in later turns, also of a process that begins anew",
    async (model, deltas, field) => {
      server.reply(calling("a", ...deltas), saying({ content: "Noon." }), saying({ content: "Still." }))
      const store = createInMemoryStore()
      const first = agentOf(model, store)
      expect(await first.session.send("?").result).toMatchObject({ ok: true, text: "Noon." })
      expect(JSON.stringify((await first.session.history()).map(({ text }) => text))).not.toContain("hm")
      const second = agentOf(model, store)
      const { messages } = await second.session.preview("??", { prompt: "native" })
      expect(messages.map(({ content }) => content).join()).not.toContain("hm")
      expect(await second.session.send("??").result).toMatchObject({ ok: true, text: "Still." })
      for (const request of [1, 2]) {
        const called = ofModel()[request]?.find(({ tool_calls }) => tool_calls?.[0]?.id === "a")
        const { role: _, tool_calls: __, content, ...thoughts } = called ?? { role: "" }
        expect({ ...(content !== "" && { content }), ...thoughts }).toEqual(field)
      }
    },
  )

  test("T41 DeepSeek gets the field with every message of the model once there are calls, other servers never", async () => {
    const store = createInMemoryStore()
    server.reply(calling("a"), saying({ content: "Noon." }), saying({ content: "Still." }), saying({ content: "Yet." }))
    await agentOf("some", store).session.send("?").result
    await agentOf("deepseek-chat", store).session.send("??").result
    await agentOf("some", store).session.send("???").result
    const named = ofModel().map((messages) => messages.map((message) => message.reasoning_content))
    expect(named).toEqual([[], [undefined], ["", ""], [undefined, undefined, undefined]])
  })

  test("T41 go to no other server and to no other family of models", async () => {
    const other = await startChatServer(saying({ content: "There." }))
    try {
      const store = createInMemoryStore()
      server.reply(calling("a", { reasoning_content: "hm" }), saying({ content: "Noon." }), saying({ content: "Here." }))
      await agentOf("vendor/one", store).session.send("?").result
      await agentOf("vendor/one", store, other.baseUrl).session.send("??").result
      await agentOf("seller/one", store).session.send("???").result
      expect(server.calls).toHaveLength(3)
      expect(JSON.stringify([other.calls[0]?.body, server.calls[2]?.body])).not.toMatch(/hm|reasoning/)
    } finally {
      await other.close()
    }
  })

  test("T41 stay with their turn in a fork, and leave with it when it is made again or forgotten", async () => {
    server.reply(
      calling("a", { reasoning_content: "first" }),
      saying({ content: "1" }),
      calling("b", { reasoning_content: "second" }),
      saying({ content: "2" }),
      calling("c", { reasoning_content: "third" }),
      saying({ content: "3" }),
      saying({ content: "4" }),
    )
    const { session, agent } = agentOf("some")
    await session.send("?").result
    await session.send("??").result
    await session.regenerate().result
    const thoughts = () =>
      ofModel()
        .at(-1)
        ?.flatMap((message) => message.reasoning_content || [])
    expect(thoughts()).toEqual(["first", "third"])
    await session.fork("fork")
    await session.clear()
    await agent.session("test").send("!").result
    expect(thoughts()).toEqual([])
    server.reply(saying({ content: "5" }))
    await agent.session("fork").send("!!").result
    expect(thoughts()).toEqual(["first", "third"])
  })

  test("T41 of a turn whose words are edited leave with it, and those before it stay", async () => {
    const turns = ["first", "second", "third"].map((thought) => calling("a", { reasoning_content: thought }))
    server.reply(...turns.flatMap((call) => [call, saying({ content: "Noon." })]))
    const { session } = agentOf("some")
    await session.send("?").result
    await session.send("??").result
    const asked = (await session.history()).find(({ text }) => text === "??")
    await (await session.edit(asked?.id ?? "", "???"))?.result
    const sent = ofModel().at(-1)
    expect(sent?.flatMap((message) => message.reasoning_content || [])).toEqual(["first", "third"])
  })

  test("T41 count as tokens of their run, and go with it", async () => {
    const long = "hm ".repeat(4_000)
    server.reply(calling("a", { reasoning_content: long }), saying({ content: "Noon." }))
    const { session } = agentOf("some")
    await session.send("?").result
    const { messages, tokens } = await session.preview("!", { prompt: "native" })
    expect(JSON.stringify(messages)).toContain("hm hm")
    const { session: small } = testAgent(
      openaiModel({ model: "some", apiKey: "k", baseUrl: server.baseUrl, capabilities: { tools: true } }),
      { dialect: "layered", loop: { mode: "native" }, history: { toolRunTokens: 1_000 } },
      { tools: [now], runJobs: false },
    )
    server.reply(calling("a", { reasoning_content: long }), saying({ content: "Noon." }))
    await small.send("?").result
    const cut = await small.preview("!", { prompt: "native" })
    expect(JSON.stringify(cut.messages)).not.toContain("hm hm")
    expect(cut.messages.some(({ role }) => role === "tool")).toBe(false)
    expect(tokens).toBeGreaterThan(0)
  })
})
