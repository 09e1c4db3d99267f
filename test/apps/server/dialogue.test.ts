import { connect } from "node:net"
import { expect, test, vi } from "vitest"
import { z } from "zod"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { listen } from "../../../src/apps/server/listen.ts"
import { readJsonBody } from "../../../src/apps/server/read-body.ts"
import type { HandlerOptions } from "../../../src/apps/server/serving.ts"
import { toUiMessageStream } from "../../../src/apps/server/ui-message-stream.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { manualClock, type ScriptedAnswer, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { endings } from "../../support/endings.ts"

type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<string>

/** A server of one character, and its whole answers: status, headers and body. */
function serverOf(
  given: readonly ScriptedAnswer[] | LanguageModel,
  { conversation, ...options }: Partial<HandlerOptions> & { readonly conversation?: string } = {},
): { readonly ask: Ask; readonly handle: (request: Request) => Promise<Response>; readonly errors: string[] } {
  const look = defineTool({ name: "look", description: "Looks.", inputSchema: z.object({}), execute: () => "three" })
  const model = "stream" in given ? given : scriptedModel(given)
  const { agent } = testAgent(model, { memory: { enabled: false } }, { store: createInMemoryStore(), tools: [look] })
  const errors: string[] = []
  const handle = createHandler({
    agents: { fay: agent },
    authorize: ({ headers }) =>
      headers.has("authorization") ? { user: "ann", name: "Ann", ...(conversation && { conversation }) } : undefined,
    onError: (error) => void errors.push(String(error)),
    clock: manualClock(5_999),
    ...options,
  })
  const ask: Ask = async (method, path, body, headers = {}) => {
    const init = { method, headers: { authorization: "Bearer key", ...headers } }
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }
    const response = await handle(new Request(`http://bot.test/base${path}`, { ...init, ...sent }))
    const shown = [...response.headers].map(([name, value]) => `${name}: ${value}`)
    return [String(response.status), ...shown, "", await response.text()].join("\n").trim()
  }
  return { ask, handle, errors }
}

const hi = [{ role: "user", content: "hi" }]
const ui = (text: string, more: object = {}) => ({
  id: "one",
  messages: [{ role: "user", parts: [{ type: "text", text }] }],
  ...more,
})
const failing = (error: Error): LanguageModel => ({
  ...scriptedModel([]),
  stream() {
    throw error
  },
})
const answers = [callTool("look"), finish("It is three.")]

test("a server answers with whole heads and bodies, by every protocol", async () => {
  const agUi = { threadId: "t", runId: "r", messages: hi, state: { a: 1 } }
  const plain = () => serverOf(answers).ask
  const kept = serverOf([finish("One."), finish("Two."), finish("Three.")], { conversation: "c" })
  const tasks = {
    "the models": () => plain()("GET", "/v1/models"),
    "a completion": () => plain()("POST", "/v1/chat/completions", { model: "fay", messages: hi, seed: 1, top_p: 0.5 }),
    "a streamed completion": () =>
      plain()("POST", "/v1/chat/completions", {
        model: "fay",
        messages: hi,
        stream: true,
        stream_options: { include_usage: true },
      }),
    "a chat of useChat": () => plain()("POST", "/api/chat", ui("hi")),
    "a run of AG-UI": () => plain()("POST", "/ag-ui", agUi),
    "a kept chat": () => kept.ask("POST", "/api/chat", ui("one")),
    "the same again": () => kept.ask("POST", "/api/chat", ui("one", { trigger: "regenerate-message" })),
    "the same again, by a wrong id": () =>
      kept.ask("POST", "/api/chat", ui("one", { trigger: "regenerate-message", messageId: "x" })),
    "an answer from the store": () => kept.ask("GET", "/api/chat/one/stream?message=turn-2"),
    "an answer that is lost": () => kept.ask("GET", "/api/chat/one/stream?message=turn-9"),
    "no answer is asked for": () => kept.ask("GET", "/api/chat/one/stream"),
    "nothing to stop": () => kept.ask("DELETE", "/api/chat/one/stream"),
    "an answer of a conversation that is not kept": () => plain()("GET", "/api/chat/one/stream?message=turn-1"),
    "a question of a page": () => plain()("GET", "/v1/models", undefined, { origin: "https://app.test" }),
    "a question of a page that may ask": () =>
      serverOf([], { allowedOrigins: ["https://app.test"] }).ask("GET", "/v1/models", undefined, { origin: "https://app.test" }),
    "a browser that asks first": () =>
      serverOf([], { allowedOrigins: "*" }).ask("OPTIONS", "/v1/models", undefined, {
        origin: "https://app.test",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      }),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/dialogue.txt")
})

test("a server that cannot answer says why, with the status of each failure", async () => {
  const completion = { model: "fay", messages: hi }
  const error = (code: string, evidence: object = {}) =>
    Object.assign(new PromptStrataError(code as "model", "inside", { evidence }))
  const failed = (thrown: Error) => async () => {
    const { ask, errors } = serverOf(failing(thrown), { locale: "zh-CN" })
    return `${await ask("POST", "/v1/chat/completions", completion)}\ntold: ${errors.join("; ")}`
  }
  const refused =
    (method: string, path: string, body?: unknown, options: Partial<HandlerOptions> = {}) =>
    async () => {
      const { ask, errors } = serverOf([], { maxBodyBytes: 100, ...options })
      const said = await ask(method, path, body)
      return errors.length > 0 ? `${said}\ntold: ${errors.join("; ")}` : said
    }
  const two = { fay: {}, mei: {} } as never
  const tasks = {
    "no key": refused("GET", "/v1/models", undefined, { authorize: () => undefined }),
    "a check of keys that fails": refused("GET", "/v1/models", undefined, {
      authorize: () => Promise.reject(new Error("db down")),
    }),
    "another path": refused("GET", "/v1/files"),
    "another method": refused("PUT", "/v1/models"),
    "another model": refused("POST", "/v1/chat/completions", { model: "fey", messages: hi }),
    "no model of two": refused("POST", "/api/chat", ui("hi"), { agents: two }),
    "no question": refused("POST", "/v1/chat/completions", { model: "fay", messages: [{ role: "user", content: " " }] }),
    "an answer in place of a question": refused("POST", "/v1/chat/completions", {
      model: "fay",
      messages: [{ role: "tool", content: "x" }],
    }),
    "a body of 100 bytes": refused("POST", "/api/chat", "x".repeat(100)),
    "a body of 101 bytes": refused("POST", "/api/chat", "x".repeat(101)),
    "a body that is a list": refused("POST", "/api/chat", "[]"),
    "a body that is no UTF-8": async () => {
      const request = new Request("http://bot.test/", { method: "POST", body: Uint8Array.of(0x22, 0xff, 0x22) })
      return readJsonBody(request, 10)
    },
    "no agents": () => createHandler({ agents: {}, authorize: () => undefined }),
    "no check of keys": () => createHandler({ agents: two } as never),
    "a misspelt option": () => createHandler({ agents: two, authorize: () => undefined, local: "en" } as never),
    "a misspelt option of a stream": () => toUiMessageStream({} as never, { tool: true } as never),
    "a model that has too much to do": failed(error("model", { kind: "rate-limit", status: 429 })),
    "a model that is not there": failed(error("model", { kind: "server", status: 500 })),
    "a file that cannot be used": failed(error("file-size")),
    "a turn that took too long": failed(error("turn-timeout")),
    "a model that stalled": failed(error("model-stall")),
    "an agent that is closed": failed(error("closed")),
    "another writer": failed(error("session-conflict")),
    "anything else": failed(error("store")),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/refusals.txt")
})

test("a served request is answered as its handler does, whatever the client's HTTP", async () => {
  const handle = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === "/throws") throw new Error("a handler must not")
    const body =
      request.method === "HEAD" || pathname === "/empty" ? null : `${request.method} ${request.url} ${await request.text()}`
    return new Response(body, { status: pathname === "/empty" ? 204 : 200, headers: { date: "now" } })
  }
  const server = await listen(handle, { host: "127.0.0.1", port: 0 })
  const say = (text: string) => () =>
    new Promise<string>((resolve) => {
      let got = ""
      const socket = connect(server.port, "127.0.0.1")
      socket.on("data", (data) => {
        got += data
      })
      socket.on("close", () => resolve(got.replaceAll("\r\n", "\n").replaceAll(/^Date: .*\n/gm, "")))
      socket.end(text)
    })
  const request = (line: string, body = "") =>
    say(`${line} HTTP/1.1\r\nhost: evil.test\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  const tasks = {
    "a question": request("GET /a?b=c"),
    "a body": request("POST /a", "hello"),
    "a body that nobody reads": request("GET /a", "hello"),
    "a head": request("HEAD /a"),
    "an empty answer": request("DELETE /empty"),
    "another host's path": request("GET http://evil.test/a"),
    "a handler that throws": request("GET /throws"),
  }
  const text = await endings(tasks)
  await server.close(AbortSignal.abort())
  await expect(text).toMatchFileSnapshot("__snapshots__/served.txt")
})

test("a server leaves no listener behind on a signal that is not its own", async () => {
  const listeners = (signal: AbortSignal) => {
    const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")]
    return () => [added.mock.calls.length, removed.mock.calls.length]
  }
  const { handle } = serverOf([finish("Yes.")])
  const body = JSON.stringify({ model: "fay", messages: hi })
  const request = new Request("http://bot.test/v1/chat/completions", { method: "POST", headers: { authorization: "x" }, body })
  const ofRequest = listeners(request.signal)
  expect((await handle(request)).status).toBe(200)
  expect(ofRequest()).toEqual([1, 1])
  const server = await listen(async () => new Response("x"), { host: "127.0.0.1", port: 0 })
  const closing = new AbortController()
  const ofClosing = listeners(closing.signal)
  await server.close(closing.signal)
  // Closing twice is closing once.
  await server.close(closing.signal)
  expect(ofClosing()).toEqual([2, 2])
})
