import { describe, expect, test } from "vitest"
import type { AiSdkModelOptions } from "../../../../src/adapters/models/ai-sdk/ai-sdk-model.ts"
import { type AiSdkLanguageModel, aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import type { ModelRequest } from "../../../../src/core/model/language-model.ts"
import { collect } from "../../../support/collect.ts"
import { finish, modelV2, modelV3, modelV4 } from "./mock-models.ts"

async function sent(request: ModelRequest, options: AiSdkModelOptions = {}) {
  const model = modelV4(finish)
  await collect(aiSdkModel(model, options).stream(request, { signal: new AbortController().signal }))
  const { abortSignal, ...call } = model.doStreamCalls[0] ?? { prompt: [] }
  expect(abortSignal).toBeInstanceOf(AbortSignal)
  return call
}

const hello: ModelRequest = { messages: [{ role: "user", content: "hi" }] }

describe("what is sent", () => {
  test("a plain request is its prompt and nothing else", async () => {
    expect(await sent(hello)).toEqual({ prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] })
  })

  test("roles, tool calls and results: developer is system, results of one step share a message", async () => {
    const { prompt } = await sent({
      messages: [
        { role: "system", content: "rules" },
        { role: "developer", content: "more rules" },
        { role: "user", content: "time?" },
        {
          role: "assistant",
          content: "",
          toolCalls: [
            { id: "a", name: "now", args: "" },
            { id: "b", name: "zone", args: '{"of":"杭州"}' },
          ],
        },
        { role: "tool", content: "12:00", toolCallId: "a" },
        { role: "tool", content: "UTC+8", toolCallId: "b" },
        { role: "assistant", content: "let me see", toolCalls: [{ id: "c", name: "now", args: "{broken" }] },
        { role: "tool", content: "12:01", toolCallId: "c" },
        { role: "tool", content: "?", toolCallId: "nobody" },
      ],
    })
    const result = (toolCallId: string, toolName: string, value: string) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "text", value },
    })
    expect(prompt).toEqual([
      { role: "system", content: "rules" },
      { role: "system", content: "more rules" },
      { role: "user", content: [{ type: "text", text: "time?" }] },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "a", toolName: "now", input: {} },
          { type: "tool-call", toolCallId: "b", toolName: "zone", input: { of: "杭州" } },
        ],
      },
      { role: "tool", content: [result("a", "now", "12:00"), result("b", "zone", "UTC+8")] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "let me see" },
          { type: "tool-call", toolCallId: "c", toolName: "now", input: {} },
        ],
      },
      { role: "tool", content: [result("c", "now", "12:01"), result("nobody", "unknown", "?")] },
    ])
  })

  test("half a surrogate pair is sent as U+FFFD", async () => {
    const { prompt } = await sent({ messages: [{ role: "user", content: "a\ud83d" }] })
    expect(prompt).toEqual([{ role: "user", content: [{ type: "text", text: "a\ufffd" }] }])
  })

  test("limits, tools, headers, the provider's options and JSON, where they are asked for", async () => {
    const tool = { name: "now", description: "The time", inputSchema: { type: "object", properties: {} } }
    const request: ModelRequest = { ...hello, maxOutputTokens: 50, temperature: 0.2, responseFormat: "json", tools: [tool] }
    const options = { jsonMode: true, headers: { "x-tenant": "blue" }, providerOptions: { openai: { reasoningEffort: "low" } } }
    expect(await sent(request, options)).toMatchObject({
      maxOutputTokens: 50,
      temperature: 0.2,
      responseFormat: { type: "json" },
      tools: [{ type: "function", ...tool }],
      headers: { "x-tenant": "blue" },
      providerOptions: { openai: { reasoningEffort: "low" } },
    })
    expect(await sent(request)).not.toHaveProperty("responseFormat")
    expect(await sent(request, { capabilities: { tools: false } })).not.toHaveProperty("tools")
    expect(await sent(request)).not.toHaveProperty("toolChoice")
    const schema = { type: "object", properties: {} }
    expect(await sent({ ...request, responseFormat: { schema } })).toMatchObject({
      responseFormat: { type: "json", schema, name: "answer" },
    })
    expect(await sent({ ...request, responseFormat: { schema } }, { capabilities: { jsonSchema: false } })).not.toHaveProperty(
      "responseFormat",
    )
    expect(await sent({ ...request, toolChoice: "required" })).toMatchObject({ toolChoice: { type: "required" } })
    expect(await sent({ ...request, toolChoice: { tool: "now" } })).toMatchObject({
      toolChoice: { type: "tool", toolName: "now" },
    })
  })
})

test("T53 JSON that is asked for and not sent is told once", async () => {
  const request: ModelRequest = { ...hello, responseFormat: "json" }
  for (const [options, told] of [
    [{}, 1],
    [{ jsonMode: true }, 0],
  ] as const) {
    const model = aiSdkModel(modelV4(), { cacheBreakpoints: false, ...options })
    const parts = [1, 2].map(() => collect(model.stream(request, { signal: new AbortController().signal })))
    const messages = (await Promise.all(parts)).flat().flatMap((part) => (part.type === "warning" ? [part.message] : []))
    expect(messages.filter((message) => message.includes("was asked for JSON"))).toHaveLength(told)
  }
})

describe("making a model", () => {
  test.each([modelV2(), modelV3(), modelV4()])("of specification $specificationVersion calls nothing and names it", (model) => {
    expect(aiSdkModel(model)).toMatchObject({
      id: "mock-provider:mock-model-id",
      capabilities: { developerRole: false, tools: true },
    })
    expect(aiSdkModel(model, { id: "main", capabilities: { opensInThought: true } })).toMatchObject({
      id: "main",
      capabilities: { tools: true, opensInThought: true },
    })
    if ("doStreamCalls" in model) expect(model.doStreamCalls).toEqual([])
  })

  test.each([
    ["a gateway name", "openai/gpt-5", 'the name "openai/gpt-5"'],
    ["a specification of the future", { ...modelV4(), specificationVersion: "v9" }, 'specification "v9"'],
    ["something else", {}, "specification null"],
  ])("of %s is a mistake that says what to pass", (_, model, found) => {
    expect(() => aiSdkModel(model as AiSdkLanguageModel)).toThrow(found)
    expect(() => aiSdkModel(model as AiSdkLanguageModel)).toThrow("Pass the model object of a provider package")
  })
})
