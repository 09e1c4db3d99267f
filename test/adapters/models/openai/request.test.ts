import { OpenAI } from "openai"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts"
import type { ModelRequest } from "../../../../src/core/model/language-model.ts"
import { type ChatServer, chatChunk, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"
import { near, noOption } from "../../../support/error-formulas.ts"

const done = { body: eventStream([chatChunk({ content: "ok" }, { finish_reason: "stop" })]) }
let server: ChatServer
beforeEach(async () => {
  server = await startChatServer(done, done)
  vi.stubEnv("OPENAI_API_KEY", "")
  vi.stubEnv("OPENAI_BASE_URL", server.baseUrl)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

async function sent(options: Parameters<typeof openaiModel>[0], request: ModelRequest) {
  await collect(openaiModel(options).stream(request, { signal: new AbortController().signal }))
  const call = server.calls.at(-1)
  if (!call) throw new Error("nothing was sent")
  return call
}

const hello: ModelRequest = { messages: [{ role: "user", content: "hi" }] }

/** An object with a list of such objects, and with a choice of one of them or nothing. */
function listsOf(inner: object, additionalProperties?: boolean) {
  const properties = { all: { type: "array", items: inner }, one: { anyOf: [inner, { type: "null" }] } }
  return {
    type: "object",
    properties,
    required: ["all", "one"],
    ...(additionalProperties !== undefined && { additionalProperties }),
  }
}

describe("what is sent", () => {
  test("a plain request asks for a stream with usage, and for nothing that a server may not know", async () => {
    const { path, body, headers } = await sent("qwen3", hello)
    expect(path).toBe("/v1/chat/completions")
    expect(body).toEqual({
      model: "qwen3",
      messages: [{ role: "user", content: "hi" }],
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(headers.authorization).toBeUndefined()
  })

  test("messages of the user that follow each other are one, because some servers refuse roles that do not alternate", async () => {
    const messages = (["user", "user", "assistant", "user", "user", "user"] as const).map((role, at) => ({
      role,
      content: `${at}`,
    }))
    expect((await sent("qwen3", { messages })).body.messages).toEqual([
      { role: "user", content: "0\n\n1" },
      { role: "assistant", content: "2" },
      { role: "user", content: "3\n\n4\n\n5" },
    ])
  })

  test("the key and headers come from options, else the key from the environment", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-from-env")
    expect((await sent("qwen3", hello)).headers.authorization).toBe("Bearer sk-from-env")
    const { headers } = await sent({ model: "qwen3", apiKey: "sk-given", headers: { "x-tenant": "blue" } }, hello)
    expect(headers).toMatchObject({ authorization: "Bearer sk-given", "x-tenant": "blue" })
  })

  test("the option's base URL wins over the environment's", async () => {
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    expect((await sent({ model: "qwen3", baseUrl: server.baseUrl }, hello)).path).toBe("/v1/chat/completions")
  })

  test("limits, temperature and JSON mode are sent when asked for; usage is left out when switched off", async () => {
    const request: ModelRequest = { ...hello, maxOutputTokens: 50, temperature: 0.2, responseFormat: "json" }
    expect((await sent({ model: "m", jsonMode: true, includeUsage: false }, request)).body).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      stream: true,
      max_tokens: 50,
      temperature: 0.2,
      response_format: { type: "json_object" },
    })
    expect((await sent("m", request)).body).not.toHaveProperty("response_format")
  })

  const conversation: ModelRequest = {
    messages: [
      { role: "developer", content: "rules" },
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "now", args: "" }] },
      { role: "tool", content: "12:00", toolCallId: "a" },
    ],
    tools: [{ name: "now", description: "The time", inputSchema: { type: "object", properties: {} } }],
  }

  test("a developer message folds into system and tools stay away from a model that has neither", async () => {
    const { body } = await sent("m", conversation)
    expect(body).not.toHaveProperty("tools")
    expect(body.messages).toEqual([
      { role: "system", content: "rules" },
      { role: "assistant", content: "", tool_calls: [{ id: "a", type: "function", function: { name: "now", arguments: "{}" } }] },
      { role: "tool", content: "12:00", tool_call_id: "a" },
    ])
  })

  test.each([
    ["required" as const, "required"],
    ["none" as const, "none"],
    [{ tool: "now" }, { type: "function", function: { name: "now" } }],
  ])("the choice of calls %j is sent with the tools", async (toolChoice, wire) => {
    const { body } = await sent({ model: "m", capabilities: { tools: true } }, { ...conversation, toolChoice })
    expect(body).toMatchObject({ tool_choice: wire })
  })

  const closed = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
  const capable = { model: "m", capabilities: { jsonSchema: true } }

  test.each([
    ["strictly, where the strict mode can say the same", closed, { ...closed, additionalProperties: false }, true],
    ["with lists and choices of objects", listsOf(closed), listsOf({ ...closed, additionalProperties: false }, false), true],
    ["as it is, with members that may be left out", { ...closed, required: [] }, { ...closed, required: [] }, false],
    [
      "as it is, with a keyword that the strict mode lacks",
      { ...closed, minProperties: 1 },
      { ...closed, minProperties: 1 },
      false,
    ],
  ])("a schema is sent %s", async (_, given, schema, strict) => {
    const { body } = await sent(capable, { ...hello, responseFormat: { schema: given } })
    expect(body.response_format).toEqual({ type: "json_schema", json_schema: { name: "answer", schema, strict } })
  })

  test.each([
    ["a model of unknown abilities", "m", closed, undefined],
    ["a server with JSON mode alone", { model: "m", jsonMode: true }, closed, { type: "json_object" }],
    ["a list, which no provider takes", capable, { type: "array" }, undefined],
  ] as const)("a schema is not sent to %s", async (_, options, schema, format) => {
    const { body } = await sent(options, { ...hello, responseFormat: { schema } })
    expect(body.response_format).toEqual(format)
  })

  test("a choice of calls stays away from a model without tools", async () => {
    expect((await sent("m", { ...conversation, toolChoice: "required" })).body).not.toHaveProperty("tool_choice")
  })

  test("a model that is said to have them gets the developer role and the tools", async () => {
    const { body } = await sent({ model: "m", capabilities: { developerRole: true, tools: true } }, conversation)
    expect(body.messages).toMatchObject([{ role: "developer" }, {}, {}])
    expect(body.tools).toEqual([
      { type: "function", function: { name: "now", description: "The time", parameters: { type: "object", properties: {} } } },
    ])
  })

  test("half a surrogate pair is sent as U+FFFD", async () => {
    const { body } = await sent("m", { messages: [{ role: "user", content: "a\ud83d" }] })
    expect(body.messages).toEqual([{ role: "user", content: "a\uFFFD" }])
  })
})

describe("options for everything else", () => {
  test("extra fields of the body are sent and win", async () => {
    const extraBody = { reasoning_effort: "low", stream_options: { include_usage: false } }
    const { body } = await sent({ model: "m", extraBody }, hello)
    expect(body).toMatchObject({ ...extraBody, stream: true, messages: [{}] })
  })

  test("a `fetch` of one's own makes the requests", async () => {
    const urls: string[] = []
    const own: typeof fetch = (input, init) => {
      urls.push(String(input instanceof Request ? input.url : input))
      return fetch(input, init)
    }
    await sent({ model: "m", fetch: own }, hello)
    expect(urls).toEqual([`${server.baseUrl}/chat/completions`])
  })

  test("a client of one's own is used, with its key, its address and our retries", async () => {
    const client = new OpenAI({ apiKey: "sk-clients-own", baseURL: `${server.baseUrl}/tenant`, maxRetries: 5 })
    const { path, headers } = await sent({ model: "m", client }, hello)
    expect([path, headers.authorization]).toEqual(["/v1/tenant/chat/completions", "Bearer sk-clients-own"])
    server.reply({ status: 500 }, done)
    const asked = collect(openaiModel({ model: "m", client }).stream(hello, { signal: new AbortController().signal }))
    // The second answer of the beginning was not asked for yet.
    await expect(
      asked.then(() => collect(openaiModel({ model: "m", client }).stream(hello, { signal: new AbortController().signal }))),
    ).rejects.toMatchObject({ code: "model", evidence: { status: 500 } })
    expect(server.calls).toHaveLength(3)
  })

  test("a wrapped client that gives only the stream is used", async () => {
    const client = new OpenAI({ apiKey: "k", baseURL: server.baseUrl })
    const seen: unknown[] = []
    const create = async (body: unknown, options: unknown) => {
      seen.push(body)
      return client.chat.completions.create(body as never, options as never)
    }
    const model = openaiModel({ model: "m", client: { chat: { completions: { create } } } })
    const parts = await collect(model.stream(hello, { signal: new AbortController().signal }))
    expect(parts).toEqual([
      { type: "text-delta", delta: "ok" },
      { type: "finish", reason: "stop" },
    ])
    expect(seen).toHaveLength(1)
  })

  test.each([
    ["a key beside a client", { apiKey: "k", client: new OpenAI({ apiKey: "k" }) }, "got both `client` and `apiKey`"],
    ["messages as extra fields", { extraBody: { messages: [] } }, "has `messages`, which the agent itself sends"],
    ["an unknown option", { baseURL: "http://x/v1" }, `${noOption("openaiModel", "baseURL")}${near("baseUrl")}`],
  ])("%s is an error", (_, options, message) => {
    expect(() => openaiModel({ model: "m", ...options })).toThrow(message)
  })

  test("OpenAI's own models call tools natively; of others it is not known unless it is said", () => {
    vi.stubEnv("OPENAI_BASE_URL", "")
    const toolsOf = (options: object) => openaiModel({ model: "m", ...options }).capabilities.tools
    expect([{}, { capabilities: { tools: false } }, { baseUrl: server.baseUrl }].map(toolsOf)).toEqual([true, false, false])
    const client = new OpenAI({ apiKey: "k", baseURL: server.baseUrl })
    expect([{ client }, { client: new OpenAI({ apiKey: "k", baseURL: "https://api.openai.com/v1" }) }].map(toolsOf)).toEqual([
      false,
      true,
    ])
    const model = openaiModel("m")
    vi.stubEnv("OPENAI_BASE_URL", server.baseUrl)
    expect(model.capabilities.tools).toBe(false)
  })

  test("arguments that are no JSON go out as an empty object", async () => {
    const toolCalls = ['{"a":1', "[1]", '{"a":1}'].map((args, at) => ({ id: `${at}`, name: "f", args }))
    const { body } = await sent("m", { messages: [{ role: "assistant", content: "", toolCalls }] })
    expect(body.messages).toMatchObject([
      { tool_calls: ["{}", "{}", '{"a":1}'].map((args) => ({ function: { arguments: args } })) },
    ])
  })
})

describe("before anything is sent", () => {
  test("making a model loads and reads nothing; its id names the model", () => {
    expect(openaiModel("gpt-x")).toMatchObject({ id: "openai:gpt-x", capabilities: { developerRole: false, tools: false } })
    expect(openaiModel({ model: "gpt-x", id: "main" }).id).toBe("main")
  })

  test("OpenAI itself without a key is an error that says what to set", async () => {
    vi.stubEnv("OPENAI_BASE_URL", "")
    await expect(sent("gpt-x", hello)).rejects.toMatchObject({
      code: "model",
      message: expect.stringContaining("Set OPENAI_API_KEY"),
      evidence: { isRetryable: false },
    })
  })

  test("a first request that fails for want of a key does not stick: the next one reads the environment again", async () => {
    vi.stubEnv("OPENAI_BASE_URL", "")
    const model = openaiModel("m")
    const ask = () => collect(model.stream(hello, { signal: new AbortController().signal }))
    await expect(ask()).rejects.toMatchObject({ code: "model" })
    vi.stubEnv("OPENAI_BASE_URL", server.baseUrl)
    expect((await ask()).at(-1)).toEqual({ type: "finish", reason: "stop" })
  })
})
