import { MockLanguageModelV4 } from "ai/test"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import { type ChatServer, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"
import { modelV4, textBlock } from "./mock-models.ts"
import { answers, providerNames, realProviders } from "./real-providers.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

const request = { messages: [{ role: "user" as const, content: "hi" }] }
const aborted = { code: "aborted", message: "The model's request was aborted: enough." }

/** Reads until the first words, then aborts. */
async function abortAfterWords(model: Parameters<typeof aiSdkModel>[0]): Promise<ModelPart[]> {
  const controller = new AbortController()
  const parts: ModelPart[] = []
  const reading = (async () => {
    for await (const part of aiSdkModel(model).stream(request, { signal: controller.signal })) {
      parts.push(part)
      controller.abort(new Error("enough"))
    }
  })()
  await expect(reading).rejects.toMatchObject(aborted)
  return parts
}

describe.each(providerNames)("aborting the real %s provider", (name) => {
  const begun = eventStream(answers[name].slice(0, name.startsWith("openaiR") || name === "anthropic" ? 3 : 1), { done: false })

  test("a stall in mid-message ends at once, and the server sees the client go", async () => {
    server.reply({ body: begun, ending: "stall" })
    const parts = await abortAfterWords(realProviders(server.baseUrl)[name]())
    expect(parts).toEqual([{ type: "text-delta", delta: "ok" }])
    await server.calls[0]?.closed
  })

  test("a stall before the first byte ends at once, and the server sees the client go", async () => {
    server.reply({ stallFirst: true })
    const controller = new AbortController()
    const reading = collect(aiSdkModel(realProviders(server.baseUrl)[name]()).stream(request, { signal: controller.signal }))
    await server.called(1)
    controller.abort(new Error("enough"))
    await expect(reading).rejects.toMatchObject(aborted)
    await server.calls[0]?.closed
  })

  test("leaving the loop early closes the connection", async () => {
    server.reply({ body: begun, ending: "stall" })
    for await (const part of aiSdkModel(realProviders(server.baseUrl)[name]()).stream(request, {
      signal: new AbortController().signal,
    })) {
      expect(part).toEqual({ type: "text-delta", delta: "ok" })
      break
    }
    await server.calls[0]?.closed
  })

  test("a signal that is aborted already sends nothing", async () => {
    const reading = collect(aiSdkModel(realProviders(server.baseUrl)[name]()).stream(request, { signal: AbortSignal.abort() }))
    await expect(reading).rejects.toMatchObject({ code: "aborted" })
    expect(server.calls).toHaveLength(0)
  })
})

describe("aborting a provider that minds no signal", () => {
  test("a stream that never goes on ends at once and is let go", async () => {
    let letGo = false
    const stream = new ReadableStream({
      start(controller) {
        for (const part of textBlock("half")) controller.enqueue(part)
      },
      cancel() {
        letGo = true
        return new Promise(() => undefined)
      },
    })
    const parts = await abortAfterWords(new MockLanguageModelV4({ doStream: async () => ({ stream }) }))
    expect(parts).toEqual([{ type: "text-delta", delta: "half" }])
    expect(letGo).toBe(true)
  })

  test("a call that never settles ends at once; a stream that comes later is let go", async () => {
    const late = Promise.withResolvers<{ stream: ReadableStream }>()
    const letGo = Promise.withResolvers<void>()
    const controller = new AbortController()
    const model = new MockLanguageModelV4({ doStream: () => late.promise })
    const reading = collect(aiSdkModel(model).stream(request, { signal: controller.signal }))
    controller.abort(new Error("enough"))
    await expect(reading).rejects.toMatchObject(aborted)
    late.resolve({ stream: new ReadableStream({ cancel: () => letGo.resolve() }) })
    await letGo.promise
  })

  test("a call that fails after the abort is no unhandled rejection", async () => {
    const late = Promise.withResolvers<never>()
    const controller = new AbortController()
    const reading = collect(
      aiSdkModel(new MockLanguageModelV4({ doStream: () => late.promise })).stream(request, { signal: controller.signal }),
    )
    controller.abort(new Error("enough"))
    await expect(reading).rejects.toMatchObject(aborted)
    late.reject(new Error("too late"))
    await new Promise(setImmediate)
  })

  test("an abort between the last part and the end is an abort", async () => {
    const controller = new AbortController()
    const reading = (async () => {
      for await (const _ of aiSdkModel(modelV4(...textBlock("all"))).stream(request, { signal: controller.signal }))
        controller.abort(new Error("enough"))
    })()
    await expect(reading).rejects.toMatchObject(aborted)
  })
})
