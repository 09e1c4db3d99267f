import OpenAI from "openai"
import { describe, expect, test, vi } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { listen } from "../../../src/apps/server/listen.ts"
import type { HandlerOptions } from "../../../src/apps/server/serving.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { manualClock, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

const ask = { model: "fay", messages: [{ role: "user" as const, content: "hi" }] }

const reading = { ...scriptedModel([]).capabilities, attachments: ["application/pdf"] }

/** A model that answers all the time, with this usage, as soon as `gate` is open. */
function answering({ tokens, gate }: { readonly tokens?: number; readonly gate?: Promise<void> } = {}): LanguageModel {
  return {
    ...scriptedModel([]),
    async *stream(request, options) {
      await gate
      options.signal.throwIfAborted()
      if (tokens !== undefined) yield { type: "usage", usage: { inputTokens: tokens - 1, outputTokens: 1 } }
      yield* scriptedModel([finish("Yes.")]).stream(request, options)
    },
  }
}

function limited(limits: HandlerOptions["limits"], model = answering()) {
  const clock = manualClock(5_000)
  const { agent } = testAgent(model, { memory: { enabled: false } })
  const handle = createHandler({
    agents: { fay: agent },
    authorize: ({ headers }) => ({
      user: headers.get("x-user") ?? "ann",
      conversation: headers.get("x-conversation") ?? undefined,
    }),
    onError: () => undefined,
    clock,
    limits: limits ?? {},
  })
  const post = (body: string | ReadableStream = JSON.stringify(ask), headers: Record<string, string> = {}) =>
    handle(new Request("http://bot.test/v1/chat/completions", { method: "POST", body, headers, duplex: "half" } as RequestInit))
  const status = async (...given: Parameters<typeof post>) => (await post(...given)).status
  return { clock, handle, post, status }
}

describe("N3 requests and tokens of a user within a minute", () => {
  test("one request too many is refused until the first is a minute old, of each user alone", async () => {
    const { clock, post, status } = limited({ requestsPerMinute: 2 })
    expect(await status()).toBe(200)
    clock.advance(20_500)
    expect(await status()).toBe(200)
    const refused = await post()
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "40"])
    expect(await refused.json()).toEqual({
      error: {
        message: "This user has had all requests of this minute.",
        type: "rate_limit_error",
        param: null,
        code: "rate_limit_exceeded",
      },
    })
    expect(await status(undefined, { "x-user": "bob" })).toBe(200)
    clock.advance(39_499)
    expect(await status()).toBe(429)
    clock.advance(1)
    expect([await status(), await status()]).toEqual([200, 429])
  })

  test("a request that stops a turn is let in", async () => {
    const { handle, status } = limited({ requestsPerMinute: 1 })
    await status()
    const get = await handle(new Request("http://bot.test/v1/models"))
    const stop = await handle(new Request("http://bot.test/api/chat/c/stream", { method: "DELETE" }))
    expect([get.status, stop.status]).toEqual([429, 404])
  })

  test("the tokens that turns used count, with those that the provider did not report", async () => {
    const reported = limited({ tokensPerMinute: 1_000 }, answering({ tokens: 600 }))
    expect([await reported.status(), await reported.status(), await reported.status()]).toEqual([200, 200, 429])
    reported.clock.advance(60_000)
    expect(await reported.status()).toBe(200)
    const unreported = limited({ tokensPerMinute: 50 })
    expect([await unreported.status(), await unreported.status()]).toEqual([200, 429])
  })

  test("a client of the package openai gets a 429 with Retry-After over HTTP", async ({ onTestFinished }) => {
    const { handle } = limited({ requestsPerMinute: 1 })
    const server = await listen(handle, { host: "127.0.0.1", port: 0 })
    onTestFinished(() => server.close(AbortSignal.abort()))
    const client = new OpenAI({ apiKey: "k", baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 })
    await client.chat.completions.create(ask)
    const error = await client.chat.completions.create({ ...ask, stream: true }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" })
    expect((error as InstanceType<typeof OpenAI.RateLimitError>).headers.get("retry-after")).toBe("60")
  })
})

describe("N4 turns at once", () => {
  test("one too many is refused before its body is read, until another has ended, also behind a client that left", async () => {
    const gate = Promise.withResolvers<void>()
    const { post, status } = limited({ turnsAtOnce: 2 }, answering({ gate: gate.promise }))
    const kept = await post(JSON.stringify({ ...ask, stream: true }), { "x-conversation": "c" })
    await kept.body?.cancel()
    const running = post()
    let pulled = 0
    const pull = (body: ReadableStreamDefaultController) => {
      pulled++
      body.close()
    }
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    const refused = await post(body)
    expect([refused.status, refused.headers.get("retry-after"), pulled]).toEqual([503, "2", 0])
    expect(await refused.json()).toMatchObject({ error: { code: "server_busy", type: "server_error" } })
    gate.resolve()
    expect((await running).status).toBe(200)
    expect(await status()).toBe(200)
  })

  test("a request that fails gives its place back", async () => {
    const { status } = limited({ turnsAtOnce: 1 })
    expect([await status("no JSON"), await status("{}"), await status(), await status()]).toEqual([400, 400, 200, 200])
  })
})

describe("N4 bytes of bodies at once", () => {
  const text = JSON.stringify(ask)
  /** A body that comes in two halves, the second one when `go` is called. */
  const inHalves = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = vi.fn()
    const halves = [text.slice(0, 50), text.slice(50)].map((half) => new TextEncoder().encode(half))
    const pull = async (body: ReadableStreamDefaultController) => {
      const half = halves.shift()
      if (halves.length === 0) await promise
      if (half) body.enqueue(half)
      else body.close()
    }
    const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
    return { body, go: resolve, cancel }
  }

  test("a body that makes them too many is refused and read no further, and counts no more", async () => {
    const { post, status } = limited({ bodyBytesAtOnce: 100 })
    const first = inHalves()
    const reading = post(first.body)
    const second = inHalves()
    second.go()
    const refused = await post(second.body)
    expect([refused.status, refused.headers.get("retry-after"), second.cancel.mock.calls.length]).toEqual([503, "2", 1])
    expect(await refused.json()).toMatchObject({
      error: { code: "server_busy", message: "This server reads no more than 100 bytes of requests at once." },
    })
    first.go()
    expect((await reading).status).toBe(200)
    expect([await status(), await status()]).toEqual([200, 200])
  })

  test("the bytes of a body count until its turn has ended, also behind a client that left; one alone may be larger", async () => {
    const gate = Promise.withResolvers<void>()
    const { post, status } = limited({ bodyBytesAtOnce: 60 }, answering({ gate: gate.promise }))
    const kept = await post(JSON.stringify({ ...ask, stream: true }), { "x-conversation": "c" })
    await kept.body?.cancel()
    expect(await status()).toBe(503)
    gate.resolve()
    await vi.waitFor(async () => expect(await status()).toBe(200))
  })

  test("L19 words count eight times while their turn runs, and the data of files once", async () => {
    const gate = Promise.withResolvers<void>()
    const withFile = (bytes: number) => {
      const url = `data:application/pdf;base64,JVBERi0x${"A".repeat(bytes)}`
      const content = [
        { type: "text", text: "hi" },
        { type: "file", file: { file_data: url, filename: "a.pdf" } },
      ]
      return JSON.stringify({ ...ask, messages: [{ role: "user", content }] })
    }
    const words = JSON.stringify({ ...ask, messages: [{ role: "user", content: "x".repeat(4_000) }] })
    const { post, status } = limited({ bodyBytesAtOnce: 32_000 }, { ...answering({ gate: gate.promise }), capabilities: reading })
    const running = [post(withFile(4_000)), post(withFile(4_000)), post(withFile(4_000))]
    const refused = await post(words)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"])
    gate.resolve()
    expect((await Promise.all(running)).map((answer) => answer.status)).toEqual([200, 200, 200])
    expect(await Promise.all([status(words), status(words)])).toEqual([200, 503])
    expect(await status(words)).toBe(200)
  })
})

test("L19 the most tools of a request are 1,000, however long its body may be", async () => {
  const { status } = limited({})
  const named = (name: string) => ({ type: "function", function: { name, parameters: {} } })
  const withTools = (count: number) =>
    JSON.stringify({ ...ask, tools: Array.from({ length: count }, (_, at) => named(`t${at}`)) })
  expect([await status(withTools(1_001)), await status(withTools(1_000))]).toEqual([400, 200])
})

test.each([{ requestsPerMinute: 0 }, { bodyBytesAtOnce: 0 }, { turnsAtOnce: Number.NaN }, { tokens: 3 }])(
  "%j is a mistake",
  (limits) => {
    expect(() => limited(limits)).toThrow(expect.objectContaining({ code: "usage" }))
  },
)
