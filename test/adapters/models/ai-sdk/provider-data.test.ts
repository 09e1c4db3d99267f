import { expect, test } from "vitest"
import { aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
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
