import { MockLanguageModelV4 } from "ai/test"
import { expect, test } from "vitest"
import { aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { testAgent } from "../../../support/agents.ts"
import { finish, modelV4, streamOf, textBlock } from "./mock-models.ts"

test("signatures of thoughts and of calls, and data of text, go back with the next step of a turn, in their places", async () => {
  const signature = { anthropic: { signature: "c2ln" } }
  const thoughtSignature = { google: { thoughtSignature: "dGhvdWdodA==" } }
  const itemId = { openai: { itemId: "msg_1" } }
  const call = { type: "tool-call" as const, toolCallId: "a", toolName: "now", input: "{}" }
  const first = [
    { type: "reasoning-start" as const, id: "0" },
    { type: "reasoning-delta" as const, id: "0", delta: "想 hm" },
    { type: "reasoning-delta" as const, id: "0", delta: "", providerMetadata: signature },
    { type: "reasoning-end" as const, id: "0" },
    { type: "reasoning-start" as const, id: "1" },
    { type: "reasoning-delta" as const, id: "1", delta: "unsigned" },
    { type: "reasoning-end" as const, id: "1" },
    { type: "text-start" as const, id: "2" },
    { type: "text-delta" as const, id: "2", delta: "Wait." },
    { type: "text-end" as const, id: "2", providerMetadata: itemId },
    { ...call, providerMetadata: thoughtSignature },
    { ...call, toolCallId: "b" },
    { ...finish, finishReason: { unified: "tool-calls" as const, raw: "tool_use" } },
  ]
  const answers = [first, [...textBlock("Noon."), finish]]
  const model = modelV4()
  model.doStream = async (options) => {
    model.doStreamCalls.push(options)
    return streamOf(...(answers.shift() ?? []))
  }
  const now = defineTool({ name: "now", description: "", repeatable: true, execute: () => "12:00" })
  const { session } = testAgent(aiSdkModel(model), { dialect: "layered", loop: { mode: "native" } }, { tools: [now] })
  expect(await session.send("?").result).toMatchObject({ ok: true, text: "Wait.\n\nNoon." })
  expect(model.doStreamCalls[1]?.prompt.find(({ role }) => role === "assistant")?.content).toEqual([
    { type: "reasoning", text: "想 hm", providerOptions: signature },
    { type: "text", text: "Wait.", providerOptions: itemId },
    { type: "tool-call", toolCallId: "a", toolName: "now", input: {}, providerOptions: thoughtSignature },
    { type: "tool-call", toolCallId: "b", toolName: "now", input: {} },
  ])
})

test.each([
  ["deepseek.chat", "deepseek-v4", undefined],
  ["openai-compatible.chat", "MiniMax-M2", undefined],
  ["openrouter", "x/y", { openrouter: { reasoning_details: ["sealed"] } }],
  ["anthropic.messages", "claude", { anthropic: { signature: "c2ln" } }],
])("T41 thoughts of %s stay with the turn or with the conversation, and with that provider", async (provider, modelId, data) => {
  const thought = [
    { type: "reasoning-start" as const, id: "0" },
    { type: "reasoning-delta" as const, id: "0", delta: "hm" },
    { type: "reasoning-end" as const, id: "0", ...(data && { providerMetadata: data }) },
    { type: "tool-call" as const, toolCallId: "a", toolName: "now", input: "{}" },
    { ...finish, finishReason: { unified: "tool-calls" as const, raw: "tool_calls" } },
  ]
  const answers = [thought, ...Array.from({ length: 3 }, () => [...textBlock("Noon."), finish])]
  const made = [provider, "elsewhere"].map((name) => {
    const model = new MockLanguageModelV4({ provider: name, modelId })
    model.doStream = async (options) => {
      model.doStreamCalls.push(options)
      return streamOf(...(answers.shift() ?? []))
    }
    return model
  })
  const now = defineTool({ name: "now", description: "", repeatable: true, execute: () => "12:00" })
  const store = createInMemoryStore()
  const sessions = made.map((model) => {
    const profile = { dialect: "layered", loop: { mode: "native" } } as const
    return testAgent(aiSdkModel(model, { cacheBreakpoints: false }), profile, { tools: [now], store, runJobs: false }).session
  })
  for (const at of [0, 0, 1]) expect(await sessions[at]?.send("?").result).toMatchObject({ ok: true })
  const thoughts = made.map(({ doStreamCalls }) =>
    doStreamCalls.map(({ prompt }) =>
      prompt.flatMap(({ content }) =>
        Array.isArray(content) ? content.filter((part: { type: string }) => part.type === "reasoning") : [],
      ),
    ),
  )
  const back = [{ type: "reasoning", text: "hm", ...(data && { providerOptions: data }) }]
  expect(thoughts).toEqual([[[], back, provider.startsWith("anthropic") ? [] : back], [[]]])
})
