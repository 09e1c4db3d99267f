import { createOpenAI } from "@ai-sdk/openai"
import { generateText, isStepCount, type ModelMessage, streamText, tool } from "ai"
import OpenAI from "openai"
import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { defineTool } from "../../../src/index.ts"
import { expectScriptsDone, type ScriptedAnswer, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const kept = { user: "ann", name: "Ann", conversation: "home" }
const passing = { user: "ann", name: "Ann" }

/** A server whose character has tools of its own, one of which waits for a person. */
function serverOf(answers: readonly ScriptedAnswer[], { caller = passing, mode = "json" as "json" | "chat" } = {}) {
  const model = scriptedModel(answers, { capabilities: { tools: false, attachments: ["image/*"] } })
  const pay = defineTool({ name: "pay", description: "Pays.", needsApproval: true, execute: () => "PAID" })
  const profile = { dialect: "layered", locale: "en", memory: { enabled: false }, loop: { mode } }
  const { agent } = testAgent(model, profile, { tools: [pay] })
  const handle = createHandler({ agents: { fay: agent }, authorize: () => caller, onError: () => undefined })
  const fetch = async (input: unknown, init?: RequestInit) => handle(new Request(input as string, init))
  const given = { apiKey: "key", baseURL: "http://bot.test/v1", fetch: fetch as never }
  const { responses } = new OpenAI({ ...given, maxRetries: 0 })
  const ask = (body: object) => responses.create({ model: "fay", input: "Light, please.", ...body } as never)
  const promptOf = (at: number) => JSON.stringify(model.requests[at]?.messages ?? [])
  return {
    model,
    agent,
    handle,
    responses,
    ask: ask as (body: object) => Promise<OpenAI.Responses.Response>,
    promptOf,
    sdk: createOpenAI(given)("fay"),
  }
}

const broken: ScriptedAnswer = [Object.assign(new Error("boom"), { isRetryable: false })]
const parameters = { type: "object", properties: { room: { type: "string" } }, required: ["room"] }
const lamp = { type: "function", name: "lamp", description: "Switches a lamp.", parameters, strict: false } as const
const picture = `data:image/png;base64,${Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex").toString("base64")}`

describe("N20 /v1/responses for the AI SDK, as its default model asks", () => {
  test.each([passing, kept])("runs its tools and goes on, with the words before as references (%o)", async (caller) => {
    const both = JSON.stringify({ action: "finish", message: "A moment.", tool: "lamp", args: { room: "hall" } })
    const { sdk, promptOf } = serverOf([both, finish("The lamp is on."), finish("You are welcome.")], { caller })
    const rooms: string[] = []
    const execute = ({ room }: { room: string }) => `${rooms.push(room)} LAMP ON`
    const tools = { lamp: tool({ description: "Switches a lamp.", inputSchema: z.object({ room: z.string() }), execute }) }
    const messages: ModelMessage[] = [{ role: "user", content: "Light, please." }]
    const stream = streamText({ model: sdk, system: "Be brief.", tools, stopWhen: isStepCount(3), messages })
    const steps = await stream.steps
    expect(steps.map(({ text, finishReason }) => [text, finishReason])).toEqual([
      ["A moment.", "tool-calls"],
      ["The lamp is on.", "stop"],
    ])
    expect(rooms).toEqual(["hall"])
    expect(promptOf(0)).toContain("Be brief.")
    expect(promptOf(1)).toContain("1 LAMP ON")
    const next: ModelMessage[] = [
      ...messages,
      ...steps.flatMap(({ response }) => response.messages),
      { role: "user", content: "Thanks!" },
    ]
    const { text, finishReason } = await generateText({ model: sdk, messages: next })
    expect([text, finishReason]).toEqual(["You are welcome.", "stop"])
    // Of a kept conversation the profile says if history shows results of tools.
    for (const words of ["A moment.", ...(caller === kept ? [] : ["1 LAMP ON"]), "The lamp is on.", "Thanks!"])
      expect(promptOf(2)).toContain(words)
  })

  test("gives usage, the end at a limit, and pictures to the model", async () => {
    const usage = { type: "usage", usage: { inputTokens: 9, outputTokens: 4, inputCacheReadTokens: 3 } } as const
    const words = [
      { type: "text-delta", delta: finish("One two three four five.") },
      usage,
      { type: "finish", reason: "stop" },
    ] as const
    const { sdk, model } = serverOf([[...words], [...words]])
    const content = [
      { type: "text", text: "See." },
      { type: "file", data: picture, mediaType: "image/png" },
    ] as const
    const whole = await generateText({ model: sdk, messages: [{ role: "user", content: [...content] }] })
    expect(whole.usage).toMatchObject({ inputTokens: 9, outputTokens: 4, totalTokens: 13 })
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("image/png")
    const stream = streamText({ model: sdk, prompt: "Count.", maxOutputTokens: 2 })
    expect([await stream.finishReason, "One two three four five.".startsWith(await stream.text)]).toEqual(["length", true])
  })

  test("gives the reason of a turn that failed, streamed or not", async () => {
    const { sdk, responses } = serverOf(Array(3).fill(broken))
    await expect(generateText({ model: sdk, prompt: "Hi.", maxRetries: 0 })).rejects.toMatchObject({ statusCode: 502 })
    const failures: unknown[] = []
    const stream = streamText({ model: sdk, prompt: "Hi.", maxRetries: 0, onError: ({ error }) => void failures.push(error) })
    await stream.consumeStream()
    expect(failures).toHaveLength(1)
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await responses.create({ model: "fay", input: "Hi.", stream: true })) events.push(event)
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { status: "failed", error: { code: "model" } } })
  })
})

describe("N20 /v1/responses for the OpenAI client", () => {
  test("streams events of which the client makes the same response as without a stream", async () => {
    const both = JSON.stringify({ action: "finish", message: "A moment.", tool: "lamp", args: { room: "hall" } })
    const { ask, responses } = serverOf([both, both])
    const body = { model: "fay", input: "Light, please.", tools: [lamp] }
    const stream = responses.stream(body)
    const numbers: number[] = []
    stream.on("event", ({ sequence_number }) => void numbers.push(sequence_number))
    const streamed = await stream.finalResponse()
    const whole = await ask(body)
    expect(numbers).toEqual(numbers.map((_, at) => at))
    expect(numbers.length).toBeGreaterThan(10)
    const shape = ({ output, output_text, status, ...rest }: OpenAI.Responses.Response) => ({
      ...{ text: output_text, status, store: "store" in rest && rest.store },
      output: output.map((item) => (item.type === "function_call" ? [item.name, item.arguments] : item.type)),
    })
    expect(shape(streamed)).toEqual(shape(whole))
    expect(shape(whole)).toEqual({
      text: "A moment.",
      status: "completed",
      store: false,
      output: ["message", ["lamp", '{"room":"hall"}']],
    })
  })

  test("reads the whole items that @openai/agents sends, with thoughts left out and told", async () => {
    const { handle, promptOf } = serverOf([finish("Done.")])
    const input = [
      { role: "user", content: [{ type: "input_text", text: "Light, please." }] },
      { id: "rs_1", type: "reasoning", summary: [] },
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "A moment.", annotations: [] }],
      },
      { id: "fc_1", type: "function_call", call_id: "c1", name: "lamp", arguments: '{"room":"hall"}', status: "completed" },
      { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "LAMP ON" }] },
      { role: "user", content: "And now?" },
    ]
    const body = {
      model: "fay",
      instructions: "Be brief.",
      input,
      tools: [lamp],
      tool_choice: "auto",
      store: true,
      include: [],
      temperature: 1,
    }
    const init = { method: "POST", body: JSON.stringify(body) }
    const response = await handle(new Request("http://bot.test/v1/responses", init))
    expect(await response.json()).toMatchObject({ object: "response", output: [{ content: [{ text: "Done." }] }] })
    expect(response.headers.get("x-promptstrata-ignored")).toBe("include, temperature, input.reasoning")
    for (const words of ["Be brief.", "A moment.", "LAMP ON", "And now?"]) expect(promptOf(0)).toContain(words)
  })

  test("goes on from the last answer of a kept conversation, and from no other", async () => {
    const { ask, model } = serverOf(
      [finish("One."), finish("Two."), callTool("lamp", { room: "hall" }), finish("On."), finish("Bye.")],
      { caller: kept },
    )
    const first = await ask({ input: "A" })
    const second = await ask({ input: "B", previous_response_id: first.id })
    expect(second).toMatchObject({ output_text: "Two.", previous_response_id: first.id, store: true })
    await expect(ask({ input: "C", previous_response_id: first.id })).rejects.toMatchObject({
      status: 400,
      param: "previous_response_id",
    })
    const called = await ask({ input: "Light!", tools: [lamp], previous_response_id: second.id })
    const [call] = called.output
    expect(call).toMatchObject({ type: "function_call", name: "lamp" })
    const result = { type: "function_call_output", call_id: (call as { call_id: string }).call_id, output: "LAMP ON" }
    const on = await ask({ input: [result], tools: [lamp], previous_response_id: called.id })
    expect(on.output_text).toBe("On.")
    expect((await ask({ input: "Bye", previous_response_id: on.id })).output_text).toBe("Bye.")
    expect(model.requests).toHaveLength(5)
  })

  test("asks about a call that waits for a person", async () => {
    const { ask } = serverOf([callTool("pay")], { caller: kept })
    const { output, output_text: text } = await ask({ input: "Pay." })
    expect(output[0]).toMatchObject({ type: "message", approvals: [{ tool: "pay" }] })
    expect(text).toContain("pay")
  })

  test.each([
    ["input", { input: 3 }],
    ["input", { input: null }],
    ["input[0]", { input: [{ type: "web_search_call", id: "w" }] }],
    ["input[0]", { input: [null] }],
    ["input[0]", { input: [{ role: "nobody", content: "x" }] }],
    ["input[0].content", { input: [{ role: "user" }] }],
    ["input[0].content[0]", { input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] }],
    ["input[0].tool_calls", { input: [{ type: "function_call", call_id: "c" }] }],
    ["input[0]", { input: [{ type: "item_reference", id: "msg_of_another" }] }],
    ["instructions", { instructions: ["x"] }],
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: "c" }],
    ["background", { background: true }],
    ["prompt", { prompt: { id: "p" } }],
    ["text.format", { text: { format: { type: "json_object" } } }],
    ["max_output_tokens", { max_output_tokens: 0 }],
    ["tools[0]", { tools: [{ type: "web_search" }] }],
    ["tool_choice", { tools: [lamp], tool_choice: { type: "function", name: "lump" } }],
  ])("refuses a wrong %s with the reason (%#)", async (param, wrong) => {
    const { ask } = serverOf([])
    await expect(ask(wrong)).rejects.toMatchObject({ status: 400, param })
  })
})
