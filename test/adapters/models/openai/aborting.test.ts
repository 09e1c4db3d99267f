import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts"
import type { LanguageModel, ModelPart, ModelRequest } from "../../../../src/core/model/language-model.ts"
import { type ChatReply, type ChatServer, chatChunk, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

const request: ModelRequest = { messages: [{ role: "user", content: "hi" }] }

function local(): LanguageModel {
  return openaiModel({ model: "test-model", apiKey: "sk-test-secret", baseUrl: server.baseUrl })
}

describe("aborting", () => {
  test.each<[string, ChatReply]>([
    ["before the first byte", { stallFirst: true }],
    ["in mid-message", { body: eventStream([chatChunk({ content: "half" })], { done: false }), ending: "stall" }],
  ])("a request that stalls %s ends at once as aborted, and the server sees the client go", async (_, reply) => {
    server.reply(reply)
    const controller = new AbortController()
    const parts: ModelPart[] = []
    const reading = (async () => {
      for await (const part of local().stream(request, { signal: controller.signal })) {
        parts.push(part)
        controller.abort(new Error("enough"))
      }
    })()
    await server.called(1)
    if (reply.stallFirst) controller.abort(new Error("enough"))
    await expect(reading).rejects.toMatchObject({ code: "aborted", message: "The model's request was aborted: enough." })
    expect(parts.some((part) => part.type === "finish")).toBe(false)
    await server.calls[0]?.closed
  })

  test("a signal that is aborted already sends nothing", async () => {
    const reading = collect(local().stream(request, { signal: AbortSignal.abort() }))
    await expect(reading).rejects.toMatchObject({ code: "aborted" })
    expect(server.calls).toHaveLength(0)
  })

  test("leaving the loop early closes the connection", async () => {
    server.reply({ body: eventStream([chatChunk({ content: "half" })], { done: false }), ending: "stall" })
    for await (const part of local().stream(request, { signal: new AbortController().signal })) {
      expect(part).toEqual({ type: "text-delta", delta: "half" })
      break
    }
    await server.calls[0]?.closed
  })
})
