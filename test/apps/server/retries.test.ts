import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateText } from "ai"
import OpenAI from "openai"
import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { listen } from "../../../src/apps/server/listen.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { ModelFailure } from "../../../src/core/evidence/turns.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { manualClock, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { collect } from "../../support/collect.ts"

type Script = readonly (string | Error)[]

/** A model that answers each request of the server with the next line of the script, and the last one for ever. */
function model(script: Script, { gates = [], onAsked }: Setup): LanguageModel {
  let asked = 0
  return {
    ...scriptedModel([]),
    async *stream(request, options) {
      const at = asked++
      onAsked?.(asked)
      await gates[at]
      const line = script[Math.min(at, script.length - 1)] as string | Error
      if (typeof line !== "string") throw line
      yield* scriptedModel([line]).stream(request, options)
    },
  }
}

const fault = (evidence: ModelFailure) => new PromptStrataError("model", "sk-secret at 10.0.0.7 said no", { evidence })
const broken = fault({ isRetryable: true, kind: "server", status: 500 })
const booking = (says: string | Error): Script => Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? callTool("book") : says))

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

interface Setup {
  readonly gates?: readonly Promise<void>[]
  readonly store?: ReturnType<typeof createInMemoryStore>
  readonly clock?: ReturnType<typeof manualClock>
  /** Gets the number of the model's call, from 1. */
  readonly onAsked?: (number: number) => void
  /** Gets the number of the request, from 1. */
  readonly onRequest?: (number: number) => void
  readonly onLeft?: () => void
  readonly limits?: { readonly dailyTokens: number }
}

/** A server on a real port, whose one tool books a table. */
async function serve(script: Script, setup: Setup = {}) {
  const { store = createInMemoryStore(), clock = manualClock(5_000) } = setup
  let booked = 0
  const book = defineTool({
    name: "book",
    description: "Books a table.",
    inputSchema: z.strictObject({}),
    execute: () => `booked ${++booked}`,
  })
  const profile = { memory: { enabled: false }, limits: setup.limits ?? {} }
  const { agent } = testAgent(model(script, setup), profile, { store, tools: [book] })
  const errors: unknown[] = []
  let requests = 0
  const handle = createHandler({
    agents: { fay: agent },
    authorize: ({ headers }) => ({
      user: headers.get("x-user") ?? "ann",
      conversation: headers.get("x-conversation") ?? undefined,
    }),
    onError: (error) => errors.push(error),
    clock,
  })
  const counted = (request: Request) => {
    requests++
    setup.onRequest?.(requests)
    request.signal.addEventListener("abort", () => setup.onLeft?.())
    return handle(request)
  }
  const server = await listen(counted, { host: "127.0.0.1", port: 0 })
  closers.push(() => server.close(AbortSignal.abort()))
  const base = `http://127.0.0.1:${server.port}`
  const client = (headers: Record<string, string> = {}) =>
    new OpenAI({ apiKey: "key", baseURL: `${base}/v1`, defaultHeaders: headers })
  const post = (body: object, headers: Record<string, string> = {}, path = "/v1/chat/completions", signal?: AbortSignal) =>
    fetch(base + path, { method: "POST", body: JSON.stringify(body), headers, ...(signal && { signal }) })
  const words = async (conversation = "c1") =>
    (await agent.session(conversation).history()).map(({ role, text }) => `${role}: ${text}`)
  const { key } = agent.session("c1")
  return { base, client, post, words, errors, handle, key, booked: () => booked, requests: () => requests }
}

const ask = { model: "fay", messages: [{ role: "user" as const, content: "Book it." }] }
const kept = { "x-conversation": "c1" }
const said = (made: OpenAI.ChatCompletion) => made.choices[0]?.message.content

describe("N6 a turn that did something is not done again by a client's own retries", () => {
  test("the openai client asks once after a tool ran, and is told that something may be done", async () => {
    const { client, booked, requests } = await serve(booking(broken))
    const failure = await client()
      .chat.completions.create(ask)
      .catch((error: unknown) => error)
    expect([booked(), requests()]).toEqual([1, 1])
    expect(failure).toBeInstanceOf(OpenAI.APIError)
    expect(failure).toMatchObject({ status: 400, code: "model", message: expect.stringContaining("may be done already") })
  })

  test("so does a model of the AI SDK, which does not read x-should-retry", async () => {
    const { base, booked } = await serve(booking(fault({ kind: "rate-limit", status: 429 })))
    const provider = createOpenAICompatible({ name: "bot", baseURL: `${base}/v1`, apiKey: "key" })
    await expect(generateText({ model: provider("fay"), prompt: "Book it." })).rejects.toThrow()
    expect(booked()).toBe(1)
  })

  test.each([
    ["is not there", callTool("bok")],
    ["does not get what it needs", callTool("book", { table: 3 })],
  ])("a call that runs nothing ends no retries: its tool %s", async (_, call) => {
    const { client, booked, requests } = await serve([call, broken, finish("Hello.")])
    expect(said(await client().chat.completions.create(ask))).toBe("Hello.")
    expect([booked(), requests()]).toEqual([0, 2])
  })

  test("words of a kept conversation are kept once", async () => {
    const { client, words, requests } = await serve([broken])
    await expect(client(kept).chat.completions.create(ask)).rejects.toMatchObject({ status: 400 })
    expect([await words(), requests()]).toEqual([["user: Book it."], 1])
  })

  test("nor are they kept again by a model of the AI SDK after a rate limit", async () => {
    const { base, words } = await serve([fault({ kind: "rate-limit", status: 429 }), finish("Hello.")])
    const provider = createOpenAICompatible({ name: "bot", baseURL: `${base}/v1`, apiKey: "key", headers: kept })
    await expect(generateText({ model: provider("fay"), prompt: "Book it." })).rejects.toThrow()
    expect(await words()).toEqual(["user: Book it."])
  })

  test("what did nothing is asked again", async () => {
    const { client, booked, requests } = await serve([broken, finish("Hello.")])
    expect(said(await client().chat.completions.create(ask))).toBe("Hello.")
    expect([booked(), requests()]).toEqual([0, 2])
  })
})

describe("N7 a provider's error keeps its kind", () => {
  test("T58 a user's day that is used up is 429, in words, with the time until it ends; nothing of the turn is kept", async () => {
    const { client, post, words } = await serve([finish("Hello.")], { limits: { dailyTokens: 0 } })
    for (const headers of [{}, kept]) {
      const response = await post(ask, headers)
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      // The agent's clock stands at 03:04:05 in UTC.
      expect([response.status, error.code, response.headers.get("retry-after")]).toEqual([
        429,
        "rate_limit_exceeded",
        String(24 * 3_600 - 3 * 3_600 - 4 * 60 - 5),
      ])
      expect(error.message).toBe("You have used all that I may spend on you today. Please come back tomorrow.")
    }
    await expect(client(kept).chat.completions.create(ask)).rejects.toMatchObject({ status: 429 })
    expect(await words()).toEqual([])
  })

  test.each([
    [{ kind: "bad-request", status: 400, refused: "context-length" }, 400, "context_length_exceeded", /more than/],
    [{ kind: "bad-request", status: 400, refused: "content-filter" }, 400, "content_filter", /does not let me/],
    [{ kind: "rate-limit", status: 429, retryAfterMs: 6_400 }, 429, "rate_limit_exceeded", /asked too much/],
    [{ kind: "credentials", status: 401 }, 500, "model", /not set up correctly/],
    [{ kind: "quota", status: 429 }, 500, "model", /not set up correctly/],
    [{ status: 401 }, 500, "model", /not set up correctly/],
    [{ kind: "server", status: 500 }, 502, "model", /cannot reach/],
  ] as const)("%j: %i %s", async (evidence, status, code, words) => {
    const { post, errors } = await serve([fault(evidence)])
    const response = await post(ask)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect([response.status, error.code, response.headers.get("retry-after")]).toEqual([
      status,
      code,
      status === 429 ? "7" : null,
    ])
    expect(error.message).toMatch(words)
    expect(error.message).not.toMatch(/sk-secret|10\.0/)
    expect(response.headers.get("x-should-retry")).toBe(status === 500 ? "false" : null)
    expect(errors).toHaveLength(1)
  })
})

describe("N8 an idempotency key gets the first run's answer", () => {
  const keyed = (more: object = {}) => ({ "idempotency-key": "k1", ...more })

  test.each([{}, kept])("again and again, streamed or not, with %j", async (more) => {
    const { client, booked } = await serve(booking(finish("Booked.")))
    const openai = client(keyed(more))
    const all = [said(await openai.chat.completions.create(ask)), said(await openai.chat.completions.create(ask))]
    expect([all, booked()]).toEqual([["Booked.", "Booked."], 1])
    const streaming = client({ ...keyed(more), "idempotency-key": "k2" })
    for (let time = 0; time < 2; time++) {
      const chunks = await collect(await streaming.chat.completions.create({ ...ask, stream: true }))
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Booked.")
    }
    expect(booked()).toBe(2)
  })

  test("a client that gave up waiting gets it by its own retry", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const onRequest = (number: number) => number === 2 && open()
    const gates = [Promise.resolve(), gate]
    const asked = Promise.withResolvers<void>()
    const onAsked = (number: number) => number === 2 && asked.resolve()
    const { client, booked } = await serve(booking(finish("Booked.")), { gates, onRequest, onAsked })
    let hasLeft = false
    /** Leaves the first request as a client does whose patience ends: while the model is asked what to say of the booking. */
    const impatient: typeof fetch = (url, init) => {
      if (hasLeft) return fetch(url, init)
      hasLeft = true
      const patience = new AbortController()
      void asked.promise.then(() => patience.abort())
      return fetch(url, { ...init, signal: patience.signal })
    }
    const leaving = client(keyed()).withOptions({ fetch: impatient })
    expect(said(await leaving.chat.completions.create(ask))).toBe("Booked.")
    expect(hasLeft).toBe(true)
    expect(booked()).toBe(1)
  })

  test("the same key with another body is refused, and other callers have keys of their own", async () => {
    const { post, booked } = await serve(booking(finish("Booked.")))
    expect((await post(ask, keyed())).status).toBe(200)
    const other = await post({ ...ask, messages: [{ role: "user", content: "Another." }] }, keyed())
    expect([other.status, await other.json()]).toMatchObject([422, { error: { code: "idempotency_key_reused" } }])
    expect((await post(ask, keyed({ "x-user": "bob" }))).status).toBe(200)
    expect((await post(ask, keyed({ "idempotency-key": "k".repeat(256) }))).status).toBe(400)
    expect(booked()).toBe(2)
  })

  test("a run that did nothing and failed is made again, and so is a refused request", async () => {
    const { post } = await serve([broken, finish("Hello.")])
    expect((await post(ask, keyed())).status).toBe(502)
    expect((await post(ask, keyed())).status).toBe(200)
    expect((await post({ ...ask, messages: [] }, keyed({ "idempotency-key": "k2" }))).status).toBe(400)
    expect((await post(ask, keyed({ "idempotency-key": "k2" }))).status).toBe(200)
  })

  test("after a restart, and in another process, the store has it for a kept conversation", async () => {
    const store = createInMemoryStore()
    const clock = manualClock(5_000)
    const first = await serve(booking(finish("Booked.")), { store, clock })
    const headers = keyed(kept)
    expect((await first.post(ask, headers)).status).toBe(200)
    const second = await serve(booking(finish("Again.")), { store, clock })
    const body = await (await second.post(ask, headers)).json()
    expect(body).toMatchObject({ choices: [{ message: { content: "Booked." } }] })
    const other = await second.post({ ...ask, messages: [{ role: "user", content: "Another." }] }, headers)
    expect([other.status, second.booked()]).toEqual([422, 0])
    clock.advance(86_400_000)
    expect(await (await second.post(ask, headers)).json()).toMatchObject({ choices: [{ message: { content: "Again." } }] })
  })

  test("while another process runs it, the answer is 409 with Retry-After", async () => {
    const store = createInMemoryStore()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: begun, resolve: onAsked } = Promise.withResolvers<unknown>()
    const first = await serve([finish("One.")], { store, gates: [gate], onAsked })
    const answering = first.post(ask, keyed(kept))
    await begun
    const second = await serve([finish("Two.")], { store })
    const refused = await second.post(ask, keyed(kept))
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([409, "2"])
    open()
    expect((await answering).status).toBe(200)
  })

  test("forgetting a user forgets their keys", async () => {
    const store = createInMemoryStore()
    const { post, key } = await serve([finish("One.")], { store })
    await post(ask, keyed(kept))
    const { agent } = key
    expect(JSON.stringify(await collect(store.export({ agent })))).toContain("keys of c1")
    await store.forget({ agent, user: "ann" })
    expect(await collect(store.export({ agent }))).toEqual([])
  })
})

describe("N9 without a key, the same last message gets an answer that did not arrive", () => {
  const chat = { messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "yes" }] }] }

  test.each(["/v1/chat/completions", "/api/chat"])("after the client left %s", async (path) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<unknown>()
    const { promise: gone, resolve: onLeft } = Promise.withResolvers<void>()
    const gates = [Promise.resolve(), gate]
    const onAsked = (number: number) => number === 2 && begin(number)
    const onRequest = (number: number) => number === 2 && open()
    const { post, booked, words } = await serve(booking(finish("Yes.")), { gates, onAsked, onRequest, onLeft })
    const body = path === "/api/chat" ? chat : ask
    const client = new AbortController()
    const reading = post(body, kept, path, client.signal).then((response) => response.text())
    await begun
    client.abort()
    await expect(reading).rejects.toThrow()
    await gone
    expect(await (await post(body, kept, path)).text()).toContain("Yes.")
    expect([booked(), (await words()).length]).toEqual([1, 2])
    expect(await (await post(body, kept, path)).text()).toContain("Ye")
    expect([booked(), (await words()).length]).toEqual([2, 4])
  })

  /** Two servers with one store. The client of the first one leaves while the model is asked what to say of the booking. */
  async function twoServers() {
    const store = createInMemoryStore()
    const clock = manualClock(5_000)
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<unknown>()
    const { promise: gone, resolve: onLeft } = Promise.withResolvers<void>()
    const onAsked = (number: number) => number === 2 && begin(number)
    const setup = { store, clock, gates: [Promise.resolve(), gate], onAsked, onLeft }
    const first = await serve(booking(finish("Yes.")), setup)
    const second = await serve(booking(finish("Again.")), { store, clock })
    const client = new AbortController()
    const reading = first.post(ask, kept, undefined, client.signal)
    await begun
    client.abort()
    await expect(reading).rejects.toThrow()
    await gone
    const keys = { ...first.key, conversation: "keys of c1" }
    await expect.poll(() => store.load(keys, { last: 1 })).toBeDefined()
    const asking = async ({ post }: { post: typeof first.post }, body: object = ask) => (await post(body, kept)).json()
    return { first, second, open, clock, asking }
  }
  const answers = (content: string) => ({ choices: [{ message: { content } }] })

  test("in another process with the same store: 409 while it is made, then the answer, once", async () => {
    const { first, second, open, asking } = await twoServers()
    const early = await second.post(ask, kept)
    expect([early.status, early.headers.get("retry-after")]).toEqual([409, "2"])
    open()
    await expect.poll(async () => (await first.words()).length).toBe(2)
    expect(await asking(second)).toMatchObject(answers("Yes."))
    expect([first.booked(), second.booked()]).toEqual([1, 0])
    expect(await asking(first)).toMatchObject(answers("Yes."))
    expect(first.booked()).toBe(2)
  })

  test("other words, and ten minutes, end the time of a lost answer in each process", async () => {
    const { first, second, open, asking } = await twoServers()
    open()
    await expect.poll(async () => (await first.words()).length).toBe(2)
    const other = { ...ask, messages: [{ role: "user", content: "No." }] }
    expect(await asking(second, other)).toMatchObject(answers("Again."))
    expect(await asking(second)).toMatchObject(answers("Again."))
    const late = await twoServers()
    late.open()
    await expect.poll(async () => (await late.first.words()).length).toBe(2)
    late.clock.advance(600_000)
    expect(await late.asking(late.second)).toMatchObject(answers("Again."))
  })

  test("a second yes stays a second yes, after the first answer and beside it", async () => {
    const { post, words } = await serve([finish("One."), finish("Two."), finish("Three.")])
    await (await post(ask, kept)).text()
    const both = await Promise.all([post(ask, kept), post(ask, kept)])
    for (const response of both) await response.text()
    expect((await words()).filter((line) => line.startsWith("user"))).toHaveLength(3)
  })
})
