import { streamText } from "ai"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { AiSdkModelOptions } from "../../../../src/adapters/models/ai-sdk/ai-sdk-model.ts"
import { aiSdkModel, toAiSdkPrompt } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { unfinished } from "../../../../src/adapters/models/answer-parts.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import type { Assembly } from "../../../../src/core/span.ts"
import { type ChatServer, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"
import { assemblyOf } from "./assemblies.ts"
import { modelV4 } from "./mock-models.ts"
import { answers, type providerNames, realProviders } from "./real-providers.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

type Provider = (typeof providerNames)[number]

/** Returns the body that the real provider package sends, and the warnings of the answer. */
async function sent(provider: Provider, assembly: Assembly, { model, ...options }: AiSdkModelOptions & { model?: string } = {}) {
  server.reply({ body: eventStream(answers[provider]) })
  const adapted = aiSdkModel(realProviders(server.baseUrl)[provider](model), options)
  const request = { messages: assembly.messages, assembly }
  const parts = await collect(adapted.stream(request, { signal: new AbortController().signal }))
  return { body: server.calls.at(-1)?.body ?? {}, warnings: warningsIn(parts) }
}

function warningsIn(parts: readonly ModelPart[]): string[] {
  return parts.flatMap((part) => (part.type === "warning" ? [part.message] : []))
}

/** A conversation whose four prefixes all end in different places, two of them inside a message. */
const conversation = assemblyOf(
  ["system", ["global", "You are Fay. "], ["session", "Be calm. "], ["turn", "It rains."]],
  ["user", ["turn", "now?"]],
)
const grown = assemblyOf(
  ["system", ["global", "You are Fay. "], ["session", "Be calm."]],
  ["user", ["conversation", "hi"]],
  ["assistant", ["conversation", "hello"]],
  ["user", ["global", "Question: "], ["turn", "now?"]],
)

const ephemeral = { cache_control: { type: "ephemeral" } }
const text = (words: string, marks = {}) => ({ type: "text", text: words, ...marks })

describe("Anthropic's cache control, in the real package's requests", () => {
  test("each prefix ends in a block of its own with a mark; a system message is parted", async () => {
    const { body, warnings } = await sent("anthropic", conversation)
    expect(body.system).toEqual([text("You are Fay. ", ephemeral), text("Be calm. ", ephemeral), text("It rains.")])
    expect(body.messages).toEqual([{ role: "user", content: [text("now?", ephemeral)] }])
    expect(warnings).toEqual([])
  })

  test("history is marked where it ends and will grow, not behind what is printed after it", async () => {
    const { body } = await sent("anthropic", grown)
    expect(body.system).toEqual([text("You are Fay. ", ephemeral), text("Be calm.", ephemeral)])
    expect(body.messages).toEqual([
      { role: "user", content: [text("hi")] },
      { role: "assistant", content: [text("hello", ephemeral)] },
      { role: "user", content: [text("Question: now?", ephemeral)] },
    ])
  })

  test("a prefix that ends inside a user message parts it in two", async () => {
    const { body } = await sent("anthropic", assemblyOf(["user", ["global", "Rules. "], ["turn", "now?"]]))
    expect(body.messages).toEqual([{ role: "user", content: [text("Rules. ", ephemeral), text("now?", ephemeral)] }])
  })

  test("a tool's result is one piece: it is marked at its end, or the mark moves before it", async () => {
    const call = { id: "a", name: "now", args: "{}" }
    const withTool = (...result: readonly (readonly ["conversation" | "turn", string])[]): Assembly => {
      const bare = assemblyOf(["user", ["conversation", "time?"]], ["assistant", ["conversation", "wait"]], ["tool", ...result])
      const [user, assistant, tool] = bare.messages
      if (!user || !assistant || !tool) throw new Error("three messages")
      return { ...bare, messages: [user, { ...assistant, toolCalls: [call] }, { ...tool, toolCallId: "a" }] }
    }
    const whole = await sent("anthropic", withTool(["conversation", "12:00"]))
    expect(whole.body.messages).toMatchObject([{}, {}, { content: [{ type: "tool_result", content: "12:00", ...ephemeral }] }])
    const half = await sent("anthropic", withTool(["conversation", "12"], ["turn", ":00"]), { cacheBreakpoints: true })
    expect(half.body.messages).toMatchObject([
      {},
      { content: [{ type: "text", ...ephemeral }, { type: "tool_use" }] },
      { content: [{ type: "tool_result", content: "12:00", ...ephemeral }] },
    ])
  })

  test("a provider of the same protocol under another name is told by the option", async () => {
    const { body } = await sent("compatible", conversation, { cacheBreakpoints: "anthropic" })
    expect(body.messages).toMatchObject([{ content: "You are Fay. " }, { content: "Be calm. " }, { content: "It rains." }, {}])
  })

  test("with `anthropic-1h` each mark asks for an hour", async () => {
    const marksOf = async (cacheBreakpoints: true | "anthropic-1h") =>
      JSON.stringify((await sent("anthropic", conversation, { cacheBreakpoints })).body).match(/"cache_control":\{[^}]*\}/g)
    const usual = await marksOf(true)
    expect(usual?.length).toBeGreaterThan(1)
    expect(await marksOf("anthropic-1h")).toEqual(usual?.map(() => '"cache_control":{"type":"ephemeral","ttl":"1h"}'))
  })

  test("the provider's request-wide setting takes one of the four", async () => {
    const four = assemblyOf(
      ["system", ["global", "a "], ["session", "b "]],
      ["user", ["conversation", "c"]],
      ["user", ["turn", "d"]],
    )
    const automatic = { anthropic: { cacheControl: { type: "ephemeral" } } }
    const { body, warnings } = await sent("anthropic", four, { providerOptions: automatic })
    expect(JSON.stringify(body.messages) + JSON.stringify(body.system)).toSatisfy(
      (sentText: string) => sentText.split("cache_control").length - 1 === 3,
    )
    expect(body.cache_control).toEqual({ type: "ephemeral" })
    expect(warnings).toEqual([])
  })

  test("switched off, nothing is parted or marked", async () => {
    const { body } = await sent("anthropic", conversation, { cacheBreakpoints: false })
    expect(JSON.stringify(body)).not.toContain("cache_control")
    expect(body.system).toEqual([text("You are Fay. Be calm. It rains.")])
  })

  test("messages that are not the assembly's own get no marks that would lie", async () => {
    server.reply({ body: eventStream(answers.anthropic) })
    const request = { messages: [{ role: "user" as const, content: "other" }], assembly: conversation }
    const model = aiSdkModel(realProviders(server.baseUrl).anthropic())
    await collect(model.stream(request, { signal: new AbortController().signal }))
    expect(JSON.stringify(server.calls[0]?.body)).not.toContain("cache_control")
  })
})

describe("OpenAI's breakpoints and key, in the real package's requests", () => {
  const explicit = { prompt_cache_breakpoint: { mode: "explicit" } }
  const key = `promptstrata-${grown.prefixes.find(({ stability }) => stability === "session")?.fingerprint}`

  test("chat completions of a model that takes breakpoints: parts are marked, the session's prefix is the key", async () => {
    const { body, warnings } = await sent("openaiChat", grown, { model: "gpt-5.6-mini" })
    expect(body.messages).toEqual([
      { role: "developer", content: [text("You are Fay. ", explicit)] },
      { role: "developer", content: [text("Be calm.", explicit)] },
      { role: "user", content: "hi" },
      { role: "assistant", content: [text("hello", explicit)] },
      { role: "user", content: [text("Question: now?", explicit)] },
    ])
    expect(body.prompt_cache_key).toBe(key)
    expect(warnings).toEqual([])
  })

  test("responses take no mark on an assistant's words: it moves to the message before", async () => {
    const { body } = await sent("openaiResponses", grown, { model: "gpt-6" })
    const input = (words: string) => ({ type: "input_text", text: words, ...explicit })
    expect(body.input).toEqual([
      { role: "developer", content: [input("You are Fay. ")] },
      { role: "developer", content: [input("Be calm.")] },
      { role: "user", content: [input("hi")] },
      { role: "assistant", content: "hello" },
      { role: "user", content: [input("Question: now?")] },
    ])
    expect(body.prompt_cache_key).toBe(key)
  })

  test.each(["gpt-4o", "gpt-5", "gpt-5.1", "gpt-5.5-mini", "o4-mini", "gpt-4.1", "my-gpt-6"])(
    "%s finds its prefixes by itself and refuses breakpoints: it gets the key alone",
    async (model) => {
      const { body, warnings } = await sent("openaiChat", grown, { model })
      expect(JSON.stringify(body)).not.toContain("breakpoint")
      expect(body.messages).toHaveLength(4)
      expect(body.prompt_cache_key).toBe(key)
      expect(warnings).toEqual([])
    },
  )

  test("the key is equal in later turns of the session and differs in another one", async () => {
    const later = assemblyOf(
      ["system", ["global", "You are Fay. "], ["session", "Be calm."]],
      ["user", ["conversation", "hi"]],
      ["user", ["turn", "else?"]],
    )
    const other = assemblyOf(["system", ["global", "You are Fay. "], ["session", "Be wild."]], ["user", ["turn", "else?"]])
    expect((await sent("openaiChat", later)).body.prompt_cache_key).toBe(key)
    expect((await sent("openaiChat", other)).body.prompt_cache_key).not.toBe(key)
  })

  test("a key of the app's own stays; switched off, there is none", async () => {
    const own = { openai: { promptCacheKey: "mine" } }
    expect((await sent("openaiChat", grown, { providerOptions: own })).body.prompt_cache_key).toBe("mine")
    expect((await sent("openaiChat", grown, { cacheBreakpoints: false })).body).not.toHaveProperty("prompt_cache_key")
  })
})

describe("a provider that takes none", () => {
  test("is sent none, and says so once", async () => {
    server.reply({ body: eventStream(answers.compatible) }, { body: eventStream(answers.compatible) })
    const model = aiSdkModel(realProviders(server.baseUrl).compatible())
    const request = { messages: grown.messages, assembly: grown }
    const first = await collect(model.stream(request, { signal: new AbortController().signal }))
    const second = await collect(model.stream(request, { signal: new AbortController().signal }))
    expect(warningsIn(first)).toEqual([expect.stringMatching(/^local\.chat:qwen3 has no form of cache breakpoints/)])
    expect(warningsIn(second)).toEqual([])
    expect(server.calls[0]?.body.messages).toEqual(grown.messages)
  })

  test("is not warned of when they are switched off or there is nothing to cache", async () => {
    expect((await sent("compatible", grown, { cacheBreakpoints: false })).warnings).toEqual([])
    const bare = aiSdkModel(modelV4())
    const parts = await collect(bare.stream({ messages: grown.messages }, { signal: new AbortController().signal }))
    expect(warningsIn(parts)).toEqual([unfinished.warning])
  })
})

describe("a converted prompt for a known model", () => {
  test("carries the marks through streamText into the request", async () => {
    server.reply({ body: eventStream(answers.anthropic) })
    const model = realProviders(server.baseUrl).anthropic()
    await streamText({ model, ...toAiSdkPrompt(grown, { model }) }).consumeStream()
    expect(server.calls[0]?.body.system).toEqual([text("You are Fay. ", ephemeral), text("Be calm.", ephemeral)])
    expect(server.calls[0]?.body.messages).toMatchObject([{}, { content: [ephemeral] }, { content: [ephemeral] }])
  })

  test("carries OpenAI's key through streamText", async () => {
    server.reply({ body: eventStream(answers.openaiChat) })
    const model = realProviders(server.baseUrl).openaiChat()
    await streamText({ model, ...toAiSdkPrompt(grown, { model }) }).consumeStream()
    expect(server.calls[0]?.body.prompt_cache_key).toMatch(/^promptstrata-/)
  })

  test("without a model has neither", () => {
    expect(JSON.stringify(toAiSdkPrompt(grown))).not.toContain("providerOptions")
  })
})
