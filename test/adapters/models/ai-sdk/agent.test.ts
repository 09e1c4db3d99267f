import { streamText } from "ai"
import { describe, expect, test } from "vitest"
import { aiSdkModel, toAiSdkPrompt } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { finish, modelV4, textBlock } from "./mock-models.ts"

const profile = resolveProfile({ dialect: "stack", persona: "You are Fay." })

describe("an agent and the AI SDK", () => {
  test("a turn runs on an AI SDK model, its prompt and answer whole", async () => {
    const model = modelV4(...textBlock('{"action":"finish",', '"message":"早上好"}'), finish)
    const result = await createAgent({ profile, model: aiSdkModel(model) })
      .session("s")
      .send("hi").result
    expect(result).toMatchObject({ ok: true, text: "早上好", usage: { inputTokens: 9, outputTokens: 4 } })
    expect(model.doStreamCalls[0]?.prompt).toMatchObject([
      { role: "system", content: expect.stringContaining("You are Fay.") },
      { role: "user", content: [{ type: "text", text: "hi" }] },
    ])
  })

  test("a session's preview spreads into streamText", async () => {
    const session = createAgent({ profile, model: aiSdkModel(modelV4()) }).session("s")
    const model = modelV4(...textBlock("ok"), finish)
    expect(await streamText({ model, ...toAiSdkPrompt(await session.preview("hi", { prompt: "chat" })) }).text).toBe("ok")
    expect(model.doStreamCalls[0]?.prompt.at(-1)).toMatchObject({ role: "user", content: [{ type: "text", text: "hi" }] })
  })
})
