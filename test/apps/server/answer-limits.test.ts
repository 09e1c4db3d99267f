import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { streamText } from "ai"
import OpenAI from "openai"
import { describe, expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { defineTool } from "../../../src/index.ts"
import { type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

const kept = { user: "ann", name: "Ann", conversation: "home" }
const passing = { user: "ann", name: "Ann" }

const look = defineTool({ name: "look", description: "Looks.", execute: () => "seen" })

function serverOf(steps: readonly ScriptedStep[], { caller = passing, mode = "json" as "json" | "native" | "chat" } = {}) {
  const model = scriptedModel(steps, { capabilities: { tools: mode === "native" } })
  const profile = { dialect: "layered", locale: "en", memory: { enabled: false }, loop: { mode } }
  const { agent } = testAgent(model, profile, { tools: [look] })
  const handle = createHandler({ agents: { fay: agent }, authorize: () => caller, onError: () => undefined })
  const fetch = async (input: unknown, init?: RequestInit) => handle(new Request(input as string, init))
  const client = new OpenAI({ apiKey: "key", baseURL: "http://bot.test/v1", fetch: fetch as never, maxRetries: 0 })
  const ask = async (body: object) => {
    const asked = { model: "fay", messages: [{ role: "user", content: "Go." }], ...body } as never
    const { choices } = (await client.chat.completions.create(asked)) as OpenAI.ChatCompletion
    return [choices[0]?.message.content, choices[0]?.finish_reason]
  }
  return { model, agent, fetch, ask }
}

const text = "One two.\nUser: three four."
const prose = (words: string): ScriptedStep => [
  ...words.split(/(?<=[ .])/).map((delta) => ({ type: "text-delta", delta }) as const),
  { type: "finish", reason: "stop" },
]
const modes = [
  ["json", finish(text)],
  ["native", prose(text)],
  ["chat", prose(text)],
] as const

describe("N19 the limits of a chat completion's answer", () => {
  test.each(modes)("end it before the first stop, and nothing of the stop is shown (%s)", async (mode, step) => {
    const { ask } = serverOf([step, step, step], { mode })
    expect(await ask({ stop: ["\nUser:", "four"] })).toEqual(["One two.", "stop"])
    expect(await ask({ stop: "three" })).toEqual(["One two.\nUser: ", "stop"])
    expect(await ask({ stop: ["One"], max_tokens: 400 })).toEqual(["", "stop"])
  })

  test.each(modes)("end it at its tokens, which is told as `length` (%s)", async (mode, step) => {
    const { ask } = serverOf([step, step, step], { mode })
    const [cut, reason] = await ask({ max_tokens: 3 })
    expect([text.startsWith(String(cut)), reason]).toEqual([true, "length"])
    expect(cut).not.toBe("")
    expect(await ask({ max_completion_tokens: 3, max_tokens: 400 })).toEqual([cut, "length"])
    expect(await ask({ max_tokens: 400 })).toEqual([text, "stop"])
  })

  test("hold for a streamed answer, of which no client gets a piece too much", async () => {
    const { fetch } = serverOf([prose("A star. STO and STOP. More.")], { mode: "chat" })
    const model = createOpenAICompatible({ name: "bot", baseURL: "http://bot.test/v1", fetch: fetch as never })("fay")
    const stream = streamText({ model, prompt: "Go.", stopSequences: ["STOP"] })
    expect([await stream.text, await stream.finishReason]).toEqual(["A star. STO and ", "stop"])
  })

  test("hold for what a kept conversation remembers", async () => {
    const { ask, agent } = serverOf([finish(text)], { caller: kept })
    expect(await ask({ stop: ["\nUser:"] })).toEqual(["One two.", "stop"])
    expect((await agent.session("home").history()).map(({ text: said }) => said)).toEqual(["Go.", "One two."])
  })

  test("count all that is said beside calls of tools", async () => {
    const call = { type: "tool-call", call: { id: "n", name: "look", args: "{}" } } as const
    const begun: ScriptedStep = [{ type: "text-delta", delta: "A moment." }, call, { type: "finish", reason: "tool-calls" }]
    const { ask } = serverOf([begun, prose("One more word."), begun], { mode: "native" })
    expect(await ask({ stop: ["more"] })).toEqual(["A moment.\n\nOne ", "stop"])
    expect(await ask({ stop: ["moment"] })).toEqual(["A ", "stop"])
  })

  test.each([
    ["stop", { stop: 3 }],
    ["stop", { stop: ["a", null] }],
    ["stop", { stop: Array(101).fill("a") }],
    ["stop", { stop: ["a".repeat(1001)] }],
    ["max_tokens", { max_tokens: 0 }],
    ["max_tokens", { max_tokens: -1 }],
    ["max_tokens", { max_tokens: 1.5 }],
    ["max_completion_tokens", { max_completion_tokens: "9" }],
  ])("refuse a wrong %s with its field", async (param, body) => {
    const { ask, model } = serverOf([])
    await expect(ask(body)).rejects.toMatchObject({ status: 400, param })
    expect(model.requests).toHaveLength(0)
  })

  test("that say nothing change nothing", async () => {
    const { ask } = serverOf([finish(text), finish(text)])
    expect(await ask({ stop: null, max_tokens: null })).toEqual([text, "stop"])
    expect(await ask({ stop: ["", "five"] })).toEqual([text, "stop"])
  })
})
