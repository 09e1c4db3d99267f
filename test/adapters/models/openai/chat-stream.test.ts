import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { unfinished } from "../../../../src/adapters/models/answer-parts.ts"
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts"
import type { LanguageModel, ModelPart, ModelRequest } from "../../../../src/core/model/language-model.ts"
import { readNativeArguments } from "../../../../src/loop/turn/calls/native-arguments.ts"
import { type ChatServer, chatChunk, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

const request: ModelRequest = { messages: [{ role: "user", content: "你好" }] }
const finish = chatChunk({}, { finish_reason: "stop" })

function local(options: Partial<Parameters<typeof openaiModel>[0] & object> = {}): LanguageModel {
  return openaiModel({ model: "test-model", apiKey: "sk-test-secret", baseUrl: server.baseUrl, ...options })
}

async function partsOf(model: LanguageModel, asked = request): Promise<ModelPart[]> {
  return collect(model.stream(asked, { signal: new AbortController().signal }))
}

function textOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}

describe("what a chat completion's chunks become", () => {
  test("text in 7-byte packets arrives whole, then one finish", async () => {
    const body = eventStream([
      chatChunk({ role: "assistant", content: "" }),
      chatChunk({ content: "早上" }),
      chatChunk({ content: "好😀" }),
      finish,
    ])
    server.reply({ body, packetBytes: 7 })
    expect(await partsOf(local())).toEqual([
      { type: "text-delta", delta: "早上" },
      { type: "text-delta", delta: "好😀" },
      { type: "finish", reason: "stop" },
    ])
  })

  test.each(["reasoning_content", "reasoning"])("`%s` is reasoning, never text", async (name) => {
    server.reply({ body: eventStream([chatChunk({ [name]: "hm" }), chatChunk({ content: "hi" }), finish]) })
    expect(await partsOf(local())).toEqual([
      { type: "thinking-delta", delta: "hm" },
      { type: "text-delta", delta: "hi" },
      { type: "finish", reason: "stop" },
    ])
  })

  test("a thought sent under both names is yielded once", async () => {
    server.reply({ body: eventStream([chatChunk({ reasoning: "hm", reasoning_content: "hm" }), finish]) })
    expect(await partsOf(local())).toEqual([
      { type: "thinking-delta", delta: "hm" },
      { type: "finish", reason: "stop" },
    ])
  })

  test("content as typed parts is told apart into thoughts and words", async () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "hi" },
    ]
    server.reply({ body: eventStream([chatChunk({ content }), finish]) })
    expect(await partsOf(local())).toEqual([
      { type: "thinking-delta", delta: "hm" },
      { type: "text-delta", delta: "hi" },
      { type: "finish", reason: "stop" },
    ])
  })

  test("a surrogate pair split over two deltas is joined, a lone half becomes U+FFFD", async () => {
    const halves = [
      '{"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}',
      '{"choices":[{"index":0,"delta":{"content":"\\ude00b\\ud83d"}}]}',
    ]
    server.reply({ body: eventStream([...halves, finish]) })
    expect(await partsOf(local())).toEqual([
      { type: "text-delta", delta: "a" },
      { type: "text-delta", delta: "😀b" },
      { type: "text-delta", delta: "\uFFFD" },
      { type: "finish", reason: "stop" },
    ])
  })

  test("interleaved tool calls are put together by index and come whole, before the finish", async () => {
    const call = (index: number, more: object, args: string) =>
      chatChunk({
        tool_calls: [{ index, ...more, function: { arguments: args, ...("name" in more ? { name: more.name } : {}) } }],
      })
    const body = eventStream([
      call(0, { id: "a", name: "weather" }, '{"ci'),
      call(1, { id: "b", name: "clock" }, '{"zone":"'),
      call(0, {}, 'ty":"杭'),
      call(1, {}, 'UTC"}'),
      call(0, { id: "" }, '州"}'),
      chatChunk({}, { finish_reason: "tool_calls" }),
    ])
    server.reply({ body, packetBytes: 7 })
    expect(await partsOf(local())).toEqual([
      { type: "tool-call", call: { id: "a", name: "weather", args: '{"city":"杭州"}' } },
      { type: "tool-call", call: { id: "b", name: "clock", args: '{"zone":"UTC"}' } },
      { type: "finish", reason: "tool-calls" },
    ])
  })

  test("calls that all claim index 0 are told apart by their ids; ids that are missing are made", async () => {
    const call = (more: object) => chatChunk({ tool_calls: [{ index: 0, ...more }] })
    server.reply(
      {
        body: eventStream([
          call({ id: "a", function: { name: "x", arguments: "{}" } }),
          call({ id: "b", function: { name: "x", arguments: '{"n":1}' } }),
          finish,
        ]),
      },
      {
        body: eventStream([
          call({ function: { name: "get_", arguments: "" } }),
          call({ function: { name: "time", arguments: "{}" } }),
          finish,
        ]),
      },
    )
    expect((await partsOf(local())).filter((part) => part.type === "tool-call").map((part) => part.call)).toEqual([
      { id: "a", name: "x", args: "{}" },
      { id: "b", name: "x", args: '{"n":1}' },
    ])
    expect((await partsOf(local())).filter((part) => part.type === "tool-call").map((part) => part.call)).toEqual([
      { id: "call_1", name: "get_time", args: "{}" },
    ])
  })

  test("usage is told once, the last report counts, and what is absent stays absent", async () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 3 },
    }
    server.reply(
      {
        body: eventStream([
          chatChunk({ content: "a" }),
          finish,
          { choices: [], usage: { prompt_tokens: 1 } },
          { choices: [], usage },
        ]),
      },
      { body: eventStream([{ ...(finish as object), usage: { prompt_tokens: 5, completion_tokens: null } }]) },
    )
    expect((await partsOf(local())).filter((part) => part.type === "usage")).toEqual([
      { type: "usage", usage: { inputTokens: 9, inputCacheReadTokens: 0, outputTokens: 4, reasoningTokens: 3 } },
    ])
    expect((await partsOf(local())).filter((part) => part.type === "usage")).toEqual([
      { type: "usage", usage: { inputTokens: 5 } },
    ])
  })

  test.each([
    ["length", "length"],
    ["content_filter", "content-filter"],
    ["function_call", "tool-calls"],
    ["eos_token", "stop"],
    ["stop_sequence", "stop"],
    ["end_turn", "stop"],
    ["tool_use", "tool-calls"],
  ])("finish_reason %s is %s", async (wire, reason) => {
    server.reply({ body: eventStream([chatChunk({ content: "a" }, { finish_reason: wire })]) })
    expect((await partsOf(local())).slice(1)).toEqual([{ type: "finish", reason }])
  })

  test("a finish reason that nobody knows is other, with a warning", async () => {
    server.reply({ body: eventStream([chatChunk({ content: "a" }, { finish_reason: "insufficient_system_resource" })]) })
    expect((await partsOf(local())).slice(1)).toEqual([
      { type: "warning", message: expect.stringContaining('"insufficient_system_resource"') },
      { type: "finish", reason: "other" },
    ])
  })

  test("duplicate finishes are one, and the first counts", async () => {
    server.reply({ body: eventStream([finish, finish, chatChunk({}, { finish_reason: "length" })]) })
    expect(await partsOf(local())).toEqual([{ type: "finish", reason: "stop" }])
  })

  test.each([
    ["without a finish reason", eventStream([chatChunk({ content: "a" })])],
    ["without anything", ""],
  ])("a stream that ends %s finishes as other, with a warning", async (_, body) => {
    server.reply({ body })
    expect((await partsOf(local())).slice(-2)).toEqual([
      { type: "warning", message: unfinished.warning },
      { type: "finish", reason: "other" },
    ])
  })

  test("odd but legal streams are read: comments, CRLF, null fields, chunks that are no objects", async () => {
    const odd = [
      null,
      42,
      { choices: null },

      { choices: [{ delta: null }] },
      chatChunk({ content: null, tool_calls: null }),
      chatChunk({ content: "ok" }),
      finish,
    ]
    const body = `: keep-alive\r\n\r\n${eventStream(odd).replaceAll("\n", "\r\n")}`
    server.reply({ body, packetBytes: 7 })
    expect(await partsOf(local())).toEqual([
      { type: "text-delta", delta: "ok" },
      { type: "finish", reason: "stop" },
    ])
  })

  test("a server that ignores streaming and sends one document is read all the same", async () => {
    const message = { role: "assistant", content: "hi", tool_calls: [{ id: "a", function: { name: "x", arguments: "{}" } }] }
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage: { prompt_tokens: 2 } })
    server.reply({ body, headers: { "content-type": "application/json" } })
    expect(await partsOf(local())).toEqual([
      { type: "text-delta", delta: "hi" },
      { type: "tool-call", call: { id: "a", name: "x", args: "{}" } },
      { type: "usage", usage: { inputTokens: 2 } },
      { type: "finish", reason: "stop" },
    ])
  })

  test("text in the form of plain completions is read", async () => {
    server.reply({ body: eventStream([{ choices: [{ index: 0, text: "hi" }] }, finish]) })
    expect(textOf(await partsOf(local()))).toBe("hi")
  })

  test.each([{ error: { message: "no usage today" } }, { detail: "no usage today" }])(
    "an error after the finish is a warning in the server's words: %o",
    async (event) => {
      server.reply({ body: eventStream([chatChunk({ content: "done" }), finish, event]) })
      expect((await partsOf(local())).slice(1)).toEqual([
        { type: "warning", message: expect.stringMatching(/after the answer was complete.*no usage today/) },
        { type: "finish", reason: "stop" },
      ])
    },
  )

  test("a connection that is cut after the finish costs a warning, not the answer", async () => {
    server.reply({ body: eventStream([chatChunk({ content: "done" }), finish], { done: false }), ending: "cut" })
    const parts = await partsOf(local())
    expect(textOf(parts)).toBe("done")
    expect(parts.at(-2)?.type).toBe("warning")
    expect(parts.at(-1)).toEqual({ type: "finish", reason: "stop" })
  })
})

test.each([{ usage: { prompt_tokens: 1 }, message: "all is well" }, { choices: [], detail: "all is well" }, { message: "" }, {}])(
  "a chunk in the middle that only says more is no error: %j",
  async (chunk) => {
    server.reply({ body: eventStream([chatChunk({ content: "hi" }), chunk, finish]) })
    expect(textOf(await partsOf(local()))).toBe("hi")
  },
)

describe("calls in the forms that servers send", () => {
  const callsOf = async (...deltas: readonly unknown[]) => {
    server.reply({
      body: eventStream([...deltas.map((delta) => chatChunk(delta)), chatChunk({}, { finish_reason: "tool_calls" })]),
    })
    const tools = ["f", "g", "pay", "pay_all"].map((name) => ({ name, description: "", inputSchema: { type: "object" } }))
    return (await partsOf(local(), { ...request, tools })).flatMap((part) => (part.type === "tool-call" ? [part.call] : []))
  }
  const call = (name: string, args: string, more = {}) => ({ ...more, function: { name, arguments: args } })
  const [f, g] = [call("f", '{"n":1}'), call("g", '{"n":2}')]

  test.each([
    ["in one chunk", [{ tool_calls: [f, g] }]],
    ["in two chunks", [{ tool_calls: [f] }, { tool_calls: [g] }]],
    ["with the same index", [{ tool_calls: [{ index: 0, ...f }] }, { tool_calls: [{ index: 0, ...g }] }]],
    [
      "with the same id",
      [
        {
          tool_calls: [
            { index: 0, id: "call_1", ...f },
            { index: 1, id: "call_1", ...g },
          ],
        },
      ],
    ],
  ])("two calls without index or id of their own, %s, are two calls", async (_, deltas) => {
    expect(await callsOf(...deltas)).toEqual([
      { id: "call_1", name: "f", args: '{"n":1}' },
      { id: "call_2", name: "g", args: '{"n":2}' },
    ])
  })

  test("two calls of one tool without index or id are two calls", async () => {
    expect(await callsOf({ tool_calls: [f] }, { tool_calls: [f] })).toHaveLength(2)
  })

  test.each([undefined, 0])("the name of another tool begins another call, with index %s", async (index) => {
    const one = (name: string | undefined, args: string) => ({ tool_calls: [{ index, function: { name, arguments: args } }] })
    expect((await callsOf(one("f", ""), one("g", ""))).map(({ name }) => name)).toEqual(["f", "g"])
    expect((await callsOf(one("f", '{"n"'), one("g", ""))).map(({ name, args }) => [name, args])).toEqual([
      ["f", '{"n"'],
      ["g", "{}"],
    ])
    const twice = [one("pay", ""), one(undefined, '{"n":1}'), one("pay", ""), one(undefined, '{"n":2}')]
    expect((await callsOf(...twice)).map(({ args }) => args)).toEqual(['{"n":1}', '{"n":2}'])
    expect(await callsOf(one("pa", ""), one("y_", ""), one("all", '{"n":1}'))).toMatchObject([
      { name: "pay_all", args: '{"n":1}' },
    ])
    expect(await callsOf(one("f", ""), one("f", '{"n"'), one("f", ":1}"))).toMatchObject([{ name: "f", args: '{"n":1}' }])
  })

  test("arguments that come before their name belong to it; if that is unclear, they cannot be read", async () => {
    const piece = (id: string, name: string, args: string) => ({
      tool_calls: [{ index: 0, id, function: { name, arguments: args } }],
    })
    expect(await callsOf(piece("a", "", '{"n":1}'), piece("a", "f", ""))).toEqual([{ id: "a", name: "f", args: '{"n":1}' }])
    const [unclear, ...others] = await callsOf(piece("a", "", '{"n":1}'), piece("b", "f", ""))
    expect(others).toEqual([])
    expect(readNativeArguments(unclear?.args ?? "", true).fault).toBeDefined()
  })

  test("interleaved pieces without an index are told apart by their ids", async () => {
    const piece = (id: string, args: string, name?: string) => ({ tool_calls: [{ id, function: { name, arguments: args } }] })
    const pieces = [piece("a", '{"n"', "f"), piece("b", '{"m"', "f"), piece("a", ":1}"), piece("b", ":2}")]
    expect((await callsOf(...pieces)).map(({ args }) => args)).toEqual(['{"n":1}', '{"m":2}'])
  })

  test("interleaved pieces with an index are told apart by it, though their ids are the same", async () => {
    const piece = (index: number, args: string, name?: string) => ({
      tool_calls: [{ index, id: "same", function: { name, arguments: args } }],
    })
    const pieces = [piece(0, '{"n"', "f"), piece(1, '{"m"', "g"), piece(0, ":1}"), piece(1, ":2}")]
    expect((await callsOf(...pieces)).map(({ name, args }) => [name, args])).toEqual([
      ["f", '{"n":1}'],
      ["g", '{"m":2}'],
    ])
  })

  test("pieces without index and id are told apart by their place", async () => {
    const both = (...args: readonly string[]) => ({ tool_calls: args.map((each) => ({ function: { arguments: each } })) })
    const named = { tool_calls: [call("f", '{"n"'), call("g", '{"m"')] }
    expect((await callsOf(named, both(":1}", ":2}"))).map(({ args }) => args)).toEqual(['{"n":1}', '{"m":2}'])
  })

  test("a signature that comes with a call goes back with it", async () => {
    const extra_content = { google: { thought_signature: "c2ln" } }
    const [made] = await callsOf({ tool_calls: [{ index: 0, id: "a", ...f, extra_content }] })
    if (!made) throw new Error("no call")
    server.reply({ body: eventStream([finish]) })
    await partsOf(local(), {
      messages: [{ role: "assistant", content: "", toolCalls: [made, { ...made, id: "b", providerData: 7 }] }],
    })
    expect(server.calls.at(-1)?.body.messages).toEqual([
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "a", type: "function", function: { name: "f", arguments: '{"n":1}' }, extra_content },
          { id: "b", type: "function", function: { name: "f", arguments: '{"n":1}' } },
        ],
      },
    ])
  })

  test("thoughts that come with calls go back with their message, in one piece each", async () => {
    const details = (...entries: object[]) => ({ reasoning_details: entries })
    const call = (id: string, index: number) => ({ index, id, function: { name: "f", arguments: '{"n":1}' } })
    const made = await callsOf(
      { reasoning_content: "Let me " },
      { reasoning_content: "see." },
      details({ type: "reasoning.text", index: 0, text: "Let me " }),
      details({ type: "reasoning.text", index: 0, text: "see.", signature: "c2ln" }, { type: "reasoning.encrypted", data: "x" }),
      details({ type: "reasoning.summary", index: 1, summary: "It " }),
      details({ type: "reasoning.summary", index: 1, summary: "is so." }),
      { extra_content: { google: { thought_signature: "bXNn" } } },
      { tool_calls: [call("a", 0), call("b", 1)] },
    )
    server.reply({ body: eventStream([finish]) })
    await partsOf(local(), { messages: [{ role: "assistant", content: "", toolCalls: made }] })
    const sent = (id: string) => ({ id, type: "function", function: { name: "f", arguments: '{"n":1}' } })
    expect(server.calls.at(-1)?.body.messages).toEqual([
      {
        role: "assistant",
        content: "",
        reasoning_content: "Let me see.",
        reasoning_details: [
          { type: "reasoning.text", index: 0, text: "Let me see.", signature: "c2ln" },
          { type: "reasoning.encrypted", data: "x" },
          { type: "reasoning.summary", index: 1, summary: "It is so." },
        ],
        extra_content: { google: { thought_signature: "bXNn" } },
        tool_calls: [sent("a"), sent("b")],
      },
    ])
  })

  test("the old form `function_call` is a call", async () => {
    const deltas = [{ function_call: { name: "f", arguments: '{"n"' } }, { function_call: { arguments: ":1}" } }]
    expect(await callsOf(...deltas)).toEqual([{ id: "call_1", name: "f", args: '{"n":1}' }])
  })
})

describe("answers in another form than their content type says", () => {
  const message = { role: "assistant", content: "早上好", function_call: { name: "f", arguments: "{}" } }
  const document = { choices: [{ index: 0, message, finish_reason: "stop" }] }
  const chunks = [
    chatChunk({ content: "早上" }),
    chatChunk({ content: "好", function_call: { name: "f", arguments: "{}" } }),
    finish,
  ]
  const ndjson = chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join("")

  test.each([
    ["a document as events", "text/event-stream", JSON.stringify(document)],
    ["an indented document as events", "text/event-stream", JSON.stringify(document, null, 2)],
    ["events as a document", "application/json", eventStream(chunks)],
    ["events as plain text", "text/plain", eventStream(chunks)],
    ["lines of JSON", "application/x-ndjson", ndjson],
    ["lines of JSON as events", "text/event-stream", ndjson],
    ["lines of JSON as a document", "application/json; charset=utf-8", ndjson.trimEnd()],
    ["events whose data has no blank", "text/event-stream", eventStream(chunks).replaceAll("data: ", "data:")],
    ["events without blank lines", "text/event-stream", eventStream(chunks).replaceAll("\n\n", "\n")],
    ["an indented event", "text/event-stream", `data: ${JSON.stringify(document, null, 2).replaceAll("\n", "\ndata: ")}\n\n`],
    ["a list of chunks", "application/json", JSON.stringify(chunks)],
  ])("%s is read all the same", async (_, type, body) => {
    for (const packetBytes of [7, 100_000]) {
      server.reply({ body, packetBytes, headers: { "content-type": type } })
      const parts = await partsOf(local())
      expect(textOf(parts)).toBe("早上好")
      expect(parts.slice(-2)).toEqual([
        { type: "tool-call", call: { id: "call_1", name: "f", args: "{}" } },
        { type: "finish", reason: "stop" },
      ])
    }
  })
})
