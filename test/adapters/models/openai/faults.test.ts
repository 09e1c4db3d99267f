import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import { type ChatReply, type ChatServer, chatChunk, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

const key = "sk-very-secret-key-123"

/** Runs one request to its failure and gives what came before it. */
async function failure(
  options: Partial<Parameters<typeof openaiModel>[0] & object> = {},
): Promise<{ error: PromptStrataError; parts: ModelPart[] }> {
  const model = openaiModel({ model: "test-model", apiKey: key, baseUrl: server.baseUrl, ...options })
  const parts: ModelPart[] = []
  try {
    const request = { messages: [{ role: "user" as const, content: "hi" }] }
    for await (const part of model.stream(request, { signal: new AbortController().signal })) parts.push(part)
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return { error, parts }
    throw error
  }
  throw new Error(`expected a failure, got ${inspect(parts)}`)
}

const json = { "content-type": "application/json" }
const html = { "content-type": "text/html; charset=utf-8" }
const page = "<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"

describe("a server that answers with a fault", () => {
  test.each<[string, ChatReply, Record<string, unknown>, RegExp]>([
    [
      "401",
      { status: 401, headers: json, body: '{"error":{"message":"bad key"}}' },
      { status: 401, kind: "credentials", isRetryable: false },
      /status 401 .*: bad key\nCheck the key/,
    ],
    [
      "403",
      { status: 403, headers: json, body: '{"error":{"message":"no"}}' },
      { kind: "forbidden", isRetryable: false },
      /may not use this model/,
    ],
    [
      "404 in Ollama's shape",
      { status: 404, headers: json, body: '{"error":"model \'x\' not found"}' },
      { status: 404, kind: "not-found", isRetryable: false },
      /model 'x' not found\nCheck the model's name and the base URL/,
    ],
    [
      "404 as a web page",
      { status: 404, headers: html, body: page },
      { status: 404, kind: "web-page", isRetryable: false },
      /a web page\n.*base URL/,
    ],
    [
      "422 in FastAPI's shape",
      { status: 422, headers: json, body: '{"detail":"too long"}' },
      { kind: "bad-request", isRetryable: false },
      /too long/,
    ],
    [
      "429 with retry-after",
      { status: 429, headers: { ...json, "retry-after": "2", "x-request-id": "req_1" }, body: "{}" },
      { kind: "rate-limit", isRetryable: true, retryAfterMs: 2000, requestId: "req_1" },
      /Too many requests/,
    ],
    [
      "429 with a wait that is none",
      { status: 429, headers: { "retry-after": "-5" }, body: "slow" },
      { isRetryable: true, retryAfterMs: undefined },
      /: slow/,
    ],
    [
      "429 with retry-after-ms",
      { status: 429, headers: { "retry-after-ms": "250.4", "retry-after": "9" }, body: "slow" },
      { isRetryable: true, retryAfterMs: 251 },
      /: slow/,
    ],
    [
      "429 with a date",
      {
        status: 429,
        headers: { "retry-after": "Wed, 21 Oct 2026 07:28:05 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" },
        body: "slow",
      },
      { isRetryable: true, retryAfterMs: 5000 },
      /slow/,
    ],
    [
      "429 for a used-up quota",
      { status: 429, headers: json, body: '{"error":{"message":"quota","code":"insufficient_quota"}}' },
      { kind: "quota", isRetryable: false },
      /plan and billing/,
    ],
    [
      "500",
      { status: 500, headers: json, body: '{"error":{"message":"oops"}}' },
      { status: 500, kind: "server", isRetryable: true },
      /oops\nThe server failed/,
    ],
    [
      "502 as a web page",
      { status: 502, headers: html, body: page },
      { status: 502, kind: "server", isRetryable: true },
      /a web page\nThe server failed/,
    ],
    ["503 without a body", { status: 503 }, { status: 503, isRetryable: true }, /status 503/],
    ["200 as a web page", { headers: html, body: page }, { kind: "web-page", isRetryable: false }, /web page.*base URL/s],
    [
      "200 as an error document",
      { headers: json, body: '{"error":{"message":"overloaded"}}' },
      { kind: "reported", isRetryable: true },
      /overloaded/,
    ],
    [
      "200 as some other document",
      { headers: json, body: '{"hello":1}' },
      { kind: "not-streamed", isRetryable: false },
      /\{"hello":1\}\n.*does not stream/,
    ],
    [
      "an error event in the stream",
      { body: eventStream([{ error: { message: "worker died" } }]) },
      { kind: "reported", isRetryable: true },
      /worker died/,
    ],
    [
      "an error event with a status as its code",
      { body: eventStream([{ error: { message: "upstream", code: 502 } }]) },
      { kind: "server", status: 502, isRetryable: true },
      /upstream/,
    ],
    [
      "an error event that is the request's fault",
      { body: eventStream([{ error: { message: "too long", type: "invalid_request_error" } }]) },
      { kind: "reported", isRetryable: false },
      /too long/,
    ],
    [
      "an error event in vLLM's shape",
      { body: eventStream([chatChunk({}), { object: "error", message: "too long", type: "BadRequestError", code: 400 }]) },
      { kind: "bad-request", status: 400, isRetryable: false },
      /too long/,
    ],
    [
      "an error event by its name",
      { body: `event: error\ndata: {"message":"worker died"}\n\n` },
      { kind: "reported", isRetryable: true },
      /worker died/,
    ],
    [
      "an error event in plain words",
      { body: "event: error\ndata: worker died\n\n" },
      { kind: "reported", isRetryable: true },
      /worker died/,
    ],
    [
      "an error in a choice",
      { body: eventStream([chatChunk({}, { error: { code: 502, message: "upstream" }, finish_reason: "error" })]) },
      { kind: "server", status: 502, isRetryable: true },
      /upstream/,
    ],
    [
      "200 as an error document with events' type",
      { body: '{"error":{"message":"overloaded"}}' },
      { kind: "reported", isRetryable: true },
      /overloaded/,
    ],
    [
      "200 as an error document in vLLM's shape",
      { headers: json, body: '{"object":"error","message":"no such model","type":"NotFoundError","code":404}' },
      { kind: "not-found", status: 404 },
      /no such model/,
    ],
    [
      "200 as plain words",
      { headers: { "content-type": "text/plain" }, body: "Internal Server Error" },
      { kind: "not-streamed", isRetryable: false },
      /Internal Server Error/,
    ],
    [
      "200 as events of another API",
      {
        body: eventStream([
          { type: "response.created", response: {} },
          { type: "response.completed", response: {} },
        ]),
      },
      { kind: "not-streamed", isRetryable: false },
      /response\.created.*does not stream/s,
    ],
    [
      "200 as lines of another API",
      { headers: { "content-type": "application/x-ndjson" }, body: '{"message":{"content":"hi"},"done":false}\n{"done":true}\n' },
      { kind: "not-streamed", isRetryable: false },
      /does not stream/,
    ],
    [
      "lines of JSON that were cut",
      { headers: { "content-type": "application/x-ndjson" }, body: `${JSON.stringify(chatChunk({}))}\n{"choices":[{"ind` },
      { kind: "broken", isRetryable: true },
      /Try again/,
    ],
  ])("%s is one error with evidence and advice", async (_, reply, evidence, message) => {
    server.reply(reply)
    const { error } = await failure()
    expect(error).toMatchObject({ code: "model", evidence, message: expect.stringMatching(message) })
    expect(error.message).toContain("openai:test-model")
    expect(server.calls).toHaveLength(1)
  })

  test("a long answer is cut in the message", async () => {
    server.reply({ status: 400, body: "x".repeat(100_000) })
    expect((await failure()).error.message.length).toBeLessThan(700)
  })

  test("500 then success: the client retries only when told to", async () => {
    const success = { body: eventStream([chatChunk({ content: "ok" }, { finish_reason: "stop" })]) }
    server.reply({ status: 500, headers: { "retry-after-ms": "1" } }, success)
    const model = openaiModel({ model: "m", apiKey: key, baseUrl: server.baseUrl, maxRetries: 1 })
    const parts = await collect(model.stream({ messages: [] }, { signal: new AbortController().signal }))
    expect(parts.at(0)).toEqual({ type: "text-delta", delta: "ok" })
    expect(server.calls).toHaveLength(2)
  })
})

describe("a connection that fails", () => {
  const begun = eventStream([chatChunk({ content: "half" })], { done: false })

  test.each<[string, ChatReply]>([
    ["between two events", { body: begun, ending: "cut" }],
    ["inside an event", { body: `${begun}data: {"choices":[{"index":0,"del`, ending: "cut" }],
    ["inside an escape", { body: `${begun}data: {"choices":[{"index":0,"delta":{"content":"\\ud8`, ending: "cut" }],
    ["inside an event, closed properly", { body: `${begun}data: {"choices":[{"index":0,"del` }],
  ])("cut %s keeps what was said and is retryable", async (_, reply) => {
    server.reply({ ...reply, packetBytes: 7 })
    const { error, parts } = await failure()
    expect(parts).toEqual([{ type: "text-delta", delta: "half" }])
    expect(error).toMatchObject({ code: "model", evidence: { kind: "broken", isRetryable: true } })
  })

  test.each([
    ["as `detail`", { detail: "the GPU is lost" }],
    ["as `code` and `message`", { code: 50000, message: "the GPU is lost" }],
  ])("an error that the server reports %s after text is told", async (_, event) => {
    server.reply({ body: eventStream([chatChunk({ content: "half" }), event]) })
    const { error, parts } = await failure()
    expect(parts).toEqual([{ type: "text-delta", delta: "half" }])
    expect(error.message).toContain("the GPU is lost")
    expect(error).toMatchObject({ code: "model", evidence: { kind: "reported", isRetryable: true } })
  })

  test("tool calls that were not finished are never yielded", async () => {
    const call = chatChunk({ tool_calls: [{ index: 0, id: "a", function: { name: "pay", arguments: '{"amount":1' } }] })
    server.reply({ body: eventStream([call], { done: false }), ending: "cut" })
    expect((await failure()).parts).toEqual([])
  })

  test("cut before any answer is retryable", async () => {
    server.reply({ ending: "cut" })
    expect((await failure()).error).toMatchObject({ code: "model", evidence: { isRetryable: true } })
  })

  test("nobody listening: the message asks whether the server runs", async () => {
    const { error } = await failure({ baseUrl: `http://127.0.0.1:${await freePort()}/v1` })
    expect(error).toMatchObject({ code: "model", evidence: { kind: "refused", isRetryable: true } })
    expect(error.message).toContain("ECONNREFUSED")
    expect(error.message).toContain("Is the server running?")
  })

  test.each([
    ["a base URL that is none", "not a url"],
    ["a scheme that fetch does not know", "ftp://127.0.0.1/v1"],
  ])("%s is a typed error, not retryable for ever", async (_, baseUrl) => {
    expect((await failure({ baseUrl })).error.code).toBe("model")
  })
})

describe("secrets", () => {
  test.each<[string, ChatReply]>([
    ["in a status's body", { status: 401, headers: json, body: JSON.stringify({ error: { message: `Incorrect key: ${key}` } }) }],
    ["in an event", { body: eventStream([{ error: { message: `${key} is bad` } }]) }],
    ["in a header", { status: 500, headers: { "x-request-id": key } }],
    ["as another header's value", { status: 400, body: "no such tenant: tenant-token-9" }],
  ])("a server that repeats one %s does not bring it into the error", async (_, reply) => {
    server.reply(reply)
    const { error } = await failure({ headers: { "x-tenant": "tenant-token-9", Authorization: `Bearer ${key}` } })
    const everything = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error.evidence)
    expect(everything).not.toContain(key)
    expect(everything).not.toContain("tenant-token-9")
  })

  const odd = `k+9/"q\\=&%7Fz<Tail`
  const percent = (text: string) => text.replace(/[^a-z]/gi, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  const units = (text: string) => text.replace(/[^a-z]/gi, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)
  const forms: Readonly<Record<string, string>> = {
    "in base64": btoa(odd),
    "in base64 behind a name": btoa(`ann:${odd}`),
    "in base64 behind another name": btoa(`anna:${odd}!`),
    "in base64 for URLs": btoa(`ab:${odd}`).replaceAll("+", "-").replaceAll("/", "_"),
    "in a URL": encodeURIComponent(odd),
    "in a URL, in small letters": percent(odd),
    "in a URL in a URL": encodeURIComponent(encodeURIComponent(odd)),
    "in JSON": JSON.stringify(odd),
    "in the JSON of JSON": JSON.stringify(JSON.stringify(odd)),
    "in JSON of PHP": JSON.stringify(odd).replaceAll("/", "\\/"),
    "in JSON of .NET": units(odd),
    "in a page": odd.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&#34;"),
  }

  test.each(Object.entries(forms))("T38 a server that repeats the key %s does not bring it into the error", async (_, form) => {
    server.reply({ status: 401, headers: json, body: JSON.stringify({ error: { message: `Incorrect key: <${form}>.` } }) })
    const { error } = await failure({ apiKey: odd })
    expect(error.message).toContain("[secret]")
    for (const part of [form.slice(4, -4), "Tail", btoa(odd).slice(6, 14)]) expect(error.message).not.toContain(part)
  })

  test("credentials in the base URL are not shown", async () => {
    const { error } = await failure({ baseUrl: `http://alice:pa55word@127.0.0.1:${await freePort()}/v1?token=abcdefgh` })
    expect(inspect(error, { depth: 20 })).not.toMatch(/pa55word|abcdefgh/)
  })
})

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
