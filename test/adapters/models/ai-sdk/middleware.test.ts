import type { LanguageModelV4CallOptions, LanguageModelV4Middleware } from "@ai-sdk/provider"
import { streamText, wrapLanguageModel } from "ai"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { type LayerSource, type MiddlewareOptions, promptstrataMiddleware } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { DraftRecorder } from "../../../../src/prompt/assemble/draft/draft-recorder.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { type ChatServer, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { assemblyOf } from "./assemblies.ts"
import { finish, modelV2, modelV3, modelV4, textBlock } from "./mock-models.ts"
import { answers, realProviders } from "./real-providers.ts"

type AppOptions = Omit<Parameters<typeof streamText>[0], "model">

/** Returns the prompt that reaches a model behind the real `wrapLanguageModel` with the middleware. */
async function reaching(options: LayerSource & MiddlewareOptions, app: Partial<AppOptions> = {}) {
  const inner = modelV4(...textBlock("ok"), finish)
  const model = wrapLanguageModel({ model: inner, middleware: promptstrataMiddleware(options) })
  const prompt = { messages: [{ role: "user" as const, content: "hi" }] }
  expect(await streamText({ model, ...prompt, ...app } as Parameters<typeof streamText>[0]).text).toBe("ok")
  return inner.doStreamCalls[0]?.prompt ?? []
}

const user = { role: "user", content: [{ type: "text", text: "hi" }] }

afterEach(() => {
  vi.unstubAllGlobals()
})

describe("a middleware in front of a model", () => {
  test("puts a stack's layers before the app's own messages, as they are at each call", async () => {
    const stack = new PromptStack([{ key: "base", content: "You are Fay.", scope: "global", trust: "author" }])
    const inner = modelV4(...textBlock("ok"), finish)
    const model = wrapLanguageModel({ model: inner, middleware: promptstrataMiddleware({ stack }) })
    const ask = () => streamText({ model, instructions: "Be brief.", prompt: "hi" }).consumeStream()
    await ask()
    stack.add({ key: "base", content: "You are Ray.", scope: "global", trust: "author" })
    await ask()
    const [first, second] = inner.doStreamCalls.map((call) => call.prompt)
    expect(first).toMatchObject([{ role: "system", content: "You are Fay." }, { role: "system", content: "Be brief." }, user])
    expect(second).toMatchObject([{ content: "You are Ray." }, { content: "Be brief." }, user])
  })

  test.each([
    ["stack", { stack: new PromptStack([{ key: "base", content: "You are Fay, a friend of many words.", trust: "author" }]) }],
    ["profile", { profile: resolveProfile({ dialect: "fay", persona: "You are Fay, a friend of many words." }) }],
  ])("S18 neither composes nor counts the same %s again", async (_, layers) => {
    const count = vi.fn((text: string) => text.length)
    const { transformParams } = promptstrataMiddleware({ ...layers, counter: { exact: true, count }, budgetTokens: 10_000 })
    const enter = vi.spyOn(DraftRecorder.prototype, "enter")
    const ask = () => transformParams({ params: { prompt: [user] }, model: modelV4() })
    const first = await ask()
    const work = [enter.mock.calls.length, count.mock.calls.length]
    expect(work.every((made) => made > 0)).toBe(true)
    expect(await ask()).toEqual(first)
    expect([enter.mock.calls.length, count.mock.calls.length]).toEqual(work)
    enter.mockRestore()
  })

  test("puts a profile's layers, in its locale", async () => {
    const profile = resolveProfile({ dialect: "fay", locale: "zh-CN", persona: "你是小飞。", variables: { city: "杭州" } })
    const [layers, question] = await reaching({ profile })
    expect(layers).toMatchObject({ role: "system", content: expect.stringMatching(/你是小飞。[\s\S]*杭州/) })
    expect(question).toMatchObject(user)
  })

  test("puts any assembly, its system messages before the app's and the others after", async () => {
    const assembly = assemblyOf(
      ["system", ["global", "one"]],
      ["user", ["session", "example"]],
      ["assistant", ["session", "answer"]],
    )
    const prompt = await reaching({ assemble: async () => assembly }, { instructions: "app" })
    expect(prompt.map(({ role, content }) => [role, content])).toMatchObject([
      ["system", "one"],
      ["system", "app"],
      ["user", [{ text: "example" }]],
      ["assistant", [{ text: "answer" }]],
      ["user", [{ text: "hi" }]],
    ])
  })

  test("takes other options of assemble", async () => {
    const stack = new PromptStack([{ key: "persona", content: "You are Fay.", scope: "global", trust: "author" }])
    const [layers] = await reaching({ stack, dialect: "layered", prompt: "final" })
    expect(layers).toMatchObject({ role: "system", content: "You are Fay." })
  })

  test.each([modelV2(finishV2()), modelV3(...textBlock("ok"), finish)])(
    "works on specification $specificationVersion",
    async (inner) => {
      const stack = new PromptStack([{ key: "base", content: "You are Fay.", scope: "global", trust: "author" }])
      let seen: unknown
      const { doStream } = inner
      inner.doStream = ((options: LanguageModelV4CallOptions) => {
        seen = options.prompt
        return doStream(options as never)
      }) as never
      vi.stubGlobal("AI_SDK_LOG_WARNINGS", false)
      const model = wrapLanguageModel({ model: inner, middleware: promptstrataMiddleware({ stack }) })
      await streamText({ model, prompt: "hi" }).consumeStream()
      expect(seen).toMatchObject([{ role: "system", content: "You are Fay." }, user])
    },
  )

  test("declares the version it is asked for", () => {
    const stack = new PromptStack()
    expect(promptstrataMiddleware({ stack }).specificationVersion).toBe("v4")
    expect(promptstrataMiddleware({ stack, specificationVersion: "v3" }).specificationVersion).toBe("v3")
  })
})

function finishV2() {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  return { type: "finish" as const, finishReason: "stop" as const, usage }
}

describe("cache breakpoints of a middleware, in the real package's requests", () => {
  let server: ChatServer
  beforeEach(async () => {
    server = await startChatServer({ body: eventStream(answers.anthropic) }, { body: eventStream(answers.anthropic) })
  })
  afterEach(() => server.close())

  const layers = assemblyOf(
    ["system", ["global", "one "], ["session", "two"]],
    ["user", ["conversation", "three"]],
    ["user", ["turn", "four"]],
  )
  const middleware: LanguageModelV4Middleware = promptstrataMiddleware({ assemble: () => layers })
  const marked = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }

  const marks = (body: unknown) => JSON.stringify(body).split("cache_control").length - 1

  test("the layers' prefixes are marked for the model behind", async () => {
    const model = wrapLanguageModel({ model: realProviders(server.baseUrl).anthropic(), middleware })
    await streamText({ model, prompt: "hi" }).consumeStream()
    expect(server.calls[0]?.body.system).toEqual([
      { type: "text", text: "one ", cache_control: { type: "ephemeral" } },
      { type: "text", text: "two", cache_control: { type: "ephemeral" } },
    ])
    expect(marks(server.calls[0]?.body)).toBe(4)
  })

  test("the app's own marks count: there are never more than four", async () => {
    const model = wrapLanguageModel({ model: realProviders(server.baseUrl).anthropic(), middleware })
    const messages = ["a", "b"].map((text) => ({ role: "user" as const, content: [{ type: "text" as const, text, ...marked }] }))
    const result = streamText({ model, messages })
    await result.consumeStream()
    expect(await result.warnings).toEqual([])
    expect(marks(server.calls[0]?.body)).toBe(4)
    expect(server.calls[0]?.body.system).toMatchObject([{ text: "one two", cache_control: { type: "ephemeral" } }])
  })
})
