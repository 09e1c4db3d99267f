import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import { type ChatReply, type ChatServer, chatChunk, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"

const success = { body: eventStream([chatChunk({ content: "ok" }, { finish_reason: "stop" })]) }
const soon = { "retry-after-ms": "1" }

type Options = Parameters<typeof openaiModel>[0] & object

function ask(options: Omit<Options, "model">, signal = new AbortController().signal): Promise<ModelPart[]> {
  const model = openaiModel({ model: "m", apiKey: "k", ...options })
  return collect(model.stream({ messages: [{ role: "user", content: "hi" }] }, { signal }))
}

describe("what a server gets", () => {
  let server: ChatServer
  beforeEach(async () => {
    server = await startChatServer()
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await server.close()
  })

  test.each([
    ["as it is", "", "/v1/chat/completions"],
    ["with a slash at its end", "/", "/v1/chat/completions"],
    ["with a query, which stays", "/?api-version=2", "/v1/chat/completions?api-version=2"],
  ])("the base URL %s gives the address", async (_, end, path) => {
    server.reply(success)
    await ask({ baseUrl: server.baseUrl + end })
    expect(server.calls.map((call) => call.path)).toEqual([path])
  })

  test("the organization and the project of the environment go with the key, and the owner's headers win", async () => {
    vi.stubEnv("OPENAI_ORG_ID", "org-1")
    vi.stubEnv("OPENAI_PROJECT_ID", "proj-1")
    server.reply(success)
    await ask({ baseUrl: server.baseUrl, headers: { "OpenAI-Project": "proj-2", AUTHORIZATION: "Basic YQ==" } })
    expect(server.calls[0]?.headers).toMatchObject({
      authorization: "Basic YQ==",
      "content-type": "application/json",
      "openai-organization": "org-1",
      "openai-project": "proj-2",
    })
  })

  test.each<[string, ChatReply, number]>([
    ["408", { status: 408, headers: soon }, 2],
    ["409", { status: 409, headers: soon }, 2],
    ["429", { status: 429, headers: soon }, 2],
    ["a server's fault", { status: 503, headers: soon }, 2],
    ["400", { status: 400, headers: soon }, 1],
    ["a used-up quota", { status: 429, headers: soon, body: '{"error":{"code":"insufficient_quota"}}' }, 1],
    ["500 and the advice not to", { status: 500, headers: { ...soon, "x-should-retry": "false" } }, 1],
    ["400 and the advice to", { status: 400, headers: { ...soon, "x-should-retry": "true" } }, 2],
  ])("after %s a request with a retry left is sent as often as that helps", async (_, reply, calls) => {
    server.reply(reply, success)
    const asked = ask({ baseUrl: server.baseUrl, maxRetries: 1 })
    if (calls === 1) await expect(asked).rejects.toMatchObject({ code: "model", evidence: { status: reply.status } })
    else expect((await asked).at(0)).toEqual({ type: "text-delta", delta: "ok" })
    expect(server.calls).toHaveLength(calls)
  })

  test("the last failure is told when no retry is left", async () => {
    server.reply({ status: 500, headers: soon }, { status: 503, headers: soon }, success)
    const asked = ask({ baseUrl: server.baseUrl, maxRetries: 1 })
    await expect(asked).rejects.toMatchObject({ code: "model", evidence: { status: 503 } })
    expect(server.calls).toHaveLength(2)
  })
})

describe("the wait before a request is sent again", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A `fetch` that only fails, and the times of its calls. */
  function failing(fail: () => Promise<Response>) {
    const timesMs: number[] = []
    const fetch: typeof globalThis.fetch = () => {
      timesMs.push(Date.now())
      return fail()
    }
    return { fetch, timesMs }
  }

  const noNetwork = () => Promise.reject(new TypeError("fetch failed"))
  const limited = (seconds: number) => async () => new Response("slow", { status: 429, headers: { "retry-after": `${seconds}` } })

  test.each<[string, () => Promise<Response>, number[]]>([
    ["doubles, up to eight seconds", noNetwork, [500, 1000, 2000, 4000, 8000, 8000]],
    ["is as long as the server asks", limited(3), [3000, 3000]],
    ["is the usual one if the server asks for more than a minute", limited(61), [500, 1000]],
  ])("%s", async (_, fail, longestMs) => {
    const { fetch, timesMs } = failing(fail)
    const asked = expect(ask({ baseUrl: "http://h/v1", fetch, maxRetries: longestMs.length })).rejects.toThrow()
    await vi.runAllTimersAsync()
    await asked
    const waitsMs = timesMs.slice(1).map((timeMs, at) => timeMs - (timesMs[at] ?? 0))
    expect(waitsMs).toHaveLength(longestMs.length)
    for (const [at, longest] of longestMs.entries()) {
      expect(waitsMs[at]).toBeLessThanOrEqual(longest)
      expect(waitsMs[at]).toBeGreaterThanOrEqual(longest * 0.75)
    }
  })

  test("ends at once as aborted when the signal aborts, and nothing more is sent", async () => {
    const { fetch, timesMs } = failing(noNetwork)
    const controller = new AbortController()
    const asked = expect(ask({ baseUrl: "http://h/v1", fetch, maxRetries: 3 }, controller.signal)).rejects.toMatchObject({
      code: "aborted",
    })
    await vi.advanceTimersByTimeAsync(100)
    controller.abort()
    await asked
    expect(timesMs).toHaveLength(1)
  })
})
