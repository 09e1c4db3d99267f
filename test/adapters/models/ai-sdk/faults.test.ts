import { inspect } from "node:util"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { unfinished } from "../../../../src/adapters/models/answer-parts.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import { type ChatReply, type ChatServer, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { failure } from "./failure.ts"
import { answers, providerNames, realProviders, secretKey } from "./real-providers.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

const request = { messages: [{ role: "user" as const, content: "hi" }] }

const json = { "content-type": "application/json" }
const html = { "content-type": "text/html; charset=utf-8" }
const page = "<!doctype html><html><body><h1>Bad Gateway</h1></body></html>"
/** The error document of OpenAI, which Anthropic's parser takes too. */
const fault = (message: string, code: string | null = null) =>
  JSON.stringify({ type: "error", error: { type: "some_error", message, code } })

const replies: [string, ChatReply, Record<string, unknown>, RegExp][] = [
  [
    "401",
    { status: 401, headers: json, body: fault("bad key") },
    { status: 401, kind: "credentials", isRetryable: false },
    /status 401 .*: bad key\nCheck the key that the provider/,
  ],
  [
    "404",
    { status: 404, headers: json, body: fault("no such model") },
    { status: 404, kind: "not-found", isRetryable: false },
    /no such model\nCheck the model's name/,
  ],
  [
    "429 with retry-after",
    { status: 429, headers: { ...json, "retry-after": "2" }, body: fault("slow") },
    { status: 429, kind: "rate-limit", isRetryable: true, retryAfterMs: 2000 },
    /Too many requests/,
  ],
  [
    "429 for a used-up quota",
    { status: 429, headers: json, body: fault("quota", "insufficient_quota") },
    { kind: "quota", isRetryable: false },
    /plan and billing/,
  ],
  [
    "500",
    { status: 500, headers: json, body: fault("oops") },
    { status: 500, kind: "server", isRetryable: true },
    /oops\nThe server failed/,
  ],
  ["529", { status: 529, headers: json, body: fault("overloaded") }, { kind: "server", isRetryable: true }, /overloaded/],
  ["502 as a web page", { status: 502, headers: html, body: page }, { kind: "server", isRetryable: true }, /: a web page\n/],
  ["404 as a web page", { status: 404, headers: html, body: page }, { kind: "web-page", isRetryable: false }, /: a web page\n/],
  ["503 without a body", { status: 503 }, { status: 503, isRetryable: true }, /status 503/],
  [
    "200 as a web page",
    { headers: html, body: page },
    { kind: "web-page", isRetryable: false },
    /did not answer as a model does/,
  ],
]

/** The events of a stream up to its first text. */
function begunBody(name: (typeof providerNames)[number]): string {
  const words = answers[name].findIndex((event) => JSON.stringify(event).includes('"ok"'))
  return eventStream(answers[name].slice(0, words + 1), { done: false })
}

describe.each(providerNames)("the real %s provider before a server that answers with a fault", (name) => {
  test.each(replies)("%s is one error with evidence and advice", async (_, reply, evidence, message) => {
    server.reply(reply)
    const { error } = await failure(realProviders(server.baseUrl)[name]())
    expect(error).toMatchObject({ code: "model", evidence, message: expect.stringMatching(message) })
    expect(error.cause).toBeUndefined()
    expect(server.calls).toHaveLength(1)
  })

  const body = begunBody(name)

  test.each<[string, ChatReply]>([
    ["between two events", { body, ending: "cut" }],
    ["inside an event", { body: `${body}data: {"type":"con`, ending: "cut" }],
  ])("a connection cut %s keeps what was said and is retryable", async (_, reply) => {
    server.reply({ ...reply, packetBytes: 7 })
    const { error, parts } = await failure(realProviders(server.baseUrl)[name]())
    expect(parts.filter((part) => part.type === "text-delta")).toEqual([{ type: "text-delta", delta: "ok" }])
    expect(error).toMatchObject({ code: "model", evidence: { kind: "broken", isRetryable: true } })
  })

  test("a connection cut before any answer is retryable", async () => {
    server.reply({ ending: "cut" })
    expect((await failure(realProviders(server.baseUrl)[name]())).error).toMatchObject({ evidence: { isRetryable: true } })
  })

  test("an event that is no JSON breaks the answer off", async () => {
    server.reply({ body: `${body}data: {"type":"con\n\n` })
    expect((await failure(realProviders(server.baseUrl)[name]())).error).toMatchObject({
      evidence: { kind: "broken", isRetryable: true },
    })
  })

  test("nobody listening: the message asks whether the server runs", async () => {
    const { baseUrl } = server
    await server.close()
    const { error } = await failure(realProviders(baseUrl)[name]())
    expect(error).toMatchObject({ evidence: { kind: "refused", isRetryable: true } })
    expect(error.message).toMatch(/ECONNREFUSED.*\n?.*Is the server running\?/s)
    server = await startChatServer()
  })

  test.each<[string, ChatReply]>([
    ["in a status's body", { status: 401, headers: json, body: fault(`Incorrect key: ${secretKey}`) }],
    ["in a web page", { status: 401, headers: html, body: `no ${secretKey}` }],
    ["as another header's value", { status: 400, headers: json, body: fault("no such tenant: tenant-token-9") }],
    ["as an environment variable", { status: 400, headers: json, body: fault("key from-the-environment is bad") }],
  ])("a server that repeats the key %s does not bring it into the error", async (_, reply) => {
    vi.stubEnv("SOME_API_KEY", "from-the-environment")
    server.reply(reply)
    const { error } = await failure(realProviders(server.baseUrl)[name](), { headers: { "x-tenant": "tenant-token-9" } })
    const everything = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error.evidence)
    expect(everything).not.toContain(secretKey)
    expect(everything).not.toContain("tenant-token-9")
    expect(everything).not.toContain("from-the-environment")
  })
})

test.each(providerNames.filter((name) => name !== "compatible"))(
  "a stream of the real %s provider that is closed in the middle ends as other, with a warning",
  async (name) => {
    server.reply({ body: begunBody(name) })
    const parts: ModelPart[] = []
    const model = aiSdkModel(realProviders(server.baseUrl)[name]())
    for await (const part of model.stream(request, { signal: new AbortController().signal })) parts.push(part)
    expect(parts[0]).toEqual({ type: "text-delta", delta: "ok" })
    expect(parts.slice(-2)).toEqual([
      { type: "warning", message: unfinished.warning },
      { type: "finish", reason: "other" },
    ])
  },
)

test("the openai-compatible provider reports a stream closed in the middle, and that is retryable", async () => {
  server.reply({ body: begunBody("compatible") })
  const { error, parts } = await failure(realProviders(server.baseUrl).compatible())
  expect(parts.at(-1)).toEqual({ type: "text-delta", delta: "ok" })
  expect(error.evidence).toEqual({ kind: "broken", isRetryable: true })
})
