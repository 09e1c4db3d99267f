import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { stepCountIs, streamText, ToolLoopAgent } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { toAiSdkTools } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import type { Tool, ToolContext } from "../../../../src/prompt/tools/tool.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"
import { finish, streamOf, textBlock, usage } from "./mock-models.ts"

/** A model that calls one tool and then says that it is done. */
function callingModel(toolName: string, input: string): MockLanguageModelV4 {
  const call = { type: "tool-call" as const, toolCallId: "call-1", toolName, input }
  const called = { type: "finish" as const, usage, finishReason: { unified: "tool-calls" as const, raw: "x" } }
  const steps: LanguageModelV4StreamPart[][] = [
    [call, called],
    [...textBlock("done"), finish],
  ]
  return new MockLanguageModelV4({ doStream: async () => streamOf(...(steps.shift() ?? [])) })
}

/** Returns the tool result that the second step of the real `streamText` shows to the model. */
async function resultShown(given: Tool, input: string) {
  const model = callingModel(given.name, input)
  const result = streamText({ model, tools: toAiSdkTools([given]), prompt: "go", stopWhen: stepCountIs(3) })
  expect(await result.text).toBe("done")
  const [shown] = (model.doStreamCalls[1]?.prompt ?? []).flatMap((message) => (message.role === "tool" ? message.content : []))
  const [first] = await result.steps
  return { output: shown?.type === "tool-result" ? shown.output : undefined, first }
}

describe("our tools in the real package ai", () => {
  const inputSchema = z.object({ city: z.string().describe("City name"), days: z.coerce.number().default(3) })
  const weather = (execute: (args: { city: string; days: number }, context: ToolContext) => unknown, more = {}) =>
    defineTool({ name: "weather", description: "The weather", inputSchema, execute, ...more })

  test("the model sees description and schema; execute gets checked arguments; its text comes back", async () => {
    const seen: unknown[] = []
    const model = callingModel("weather", '{"city":"杭州"}')
    const execute = (args: unknown, { key, turnId, signal }: ToolContext) => {
      seen.push(args, key, turnId, signal)
      return "sunny"
    }
    const tools = toAiSdkTools([weather(execute, { usageHint: "Ask it once." })])
    const agent = new ToolLoopAgent({ model, tools })
    const result = await agent.stream({ prompt: "go" })
    expect(await result.text).toBe("done")
    expect(model.doStreamCalls[0]?.tools).toMatchObject([
      {
        type: "function",
        name: "weather",
        description: "The weather\nAsk it once.",
        inputSchema: { type: "object", properties: { city: { type: "string", description: "City name" } }, required: ["city"] },
      },
    ])
    expect(seen.slice(0, 3)).toEqual([
      { city: "杭州", days: 3 },
      { agent: "ai-sdk", conversation: "ai-sdk", audience: "private", user: "user" },
      "call-1",
    ])
    expect(seen[3]).toBeInstanceOf(AbortSignal)
  })

  test("the app gets the value, the model its text", async () => {
    const { output, first } = await resultShown(
      weather(() => ({ temp: 21 })),
      '{"city":"a"}',
    )
    expect(output).toEqual({ type: "text", value: '{"temp":21}' })
    expect(first?.toolResults).toMatchObject([{ output: { temp: 21 } }])
  })

  test("a result that is too long is cut and one that is missing is said, in the prompts' words", async () => {
    const long = await resultShown(
      weather(() => "x".repeat(100), { maxResultCharacters: 10 }),
      '{"city":"a"}',
    )
    expect(long.output).toEqual({ type: "text", value: expect.stringMatching(/^x{7}[^x].*\b9\b.*\b100\b.*[^x]xx$/s) })
    const empty = await resultShown(
      weather(() => undefined),
      '{"city":"a"}',
    )
    expect(empty.output).toEqual({ type: "text", value: expect.stringMatching(/\w/) })
  })

  test("arguments that break the schema never reach execute", async () => {
    let ran = false
    const { output } = await resultShown(
      weather(() => {
        ran = true
      }),
      '{"town":1}',
    )
    expect(ran).toBe(false)
    expect(output).toMatchObject({ type: "error-text", value: expect.stringContaining("city") })
  })

  test("what execute throws is the package's tool error", async () => {
    const { output } = await resultShown(
      weather(() => {
        throw new Error("no such city")
      }),
      '{"city":"a"}',
    )
    expect(output).toEqual({ type: "error-text", value: expect.stringContaining("no such city") })
  })

  test("a tool's own time limit holds", async () => {
    const timers = manualTimers(manualClock())
    const stuck = weather(
      (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      {
        timeoutMs: 2_000,
      },
    )
    const running = toAiSdkTools([stuck], { timers }).weather?.execute({ city: "a" }, { toolCallId: "c" })
    timers.advance(2_000)
    await expect(running).rejects.toMatchObject({ code: "tool-timeout", message: expect.stringContaining("within 2") })
  })

  test("the call's signal reaches the tool, with and without a time limit", async () => {
    for (const more of [{}, { timeoutMs: 2_000 }]) {
      const controller = new AbortController()
      const aborted = Promise.withResolvers<void>()
      const waiting = weather((_, { signal }) => {
        signal.addEventListener("abort", () => aborted.resolve())
        return aborted.promise.then(() => Promise.reject(signal.reason))
      }, more)
      const options = { toolCallId: "c", abortSignal: controller.signal }
      const running = toAiSdkTools([waiting], { timers: manualTimers(manualClock()) }).weather?.execute({ city: "a" }, options)
      await new Promise(setImmediate)
      controller.abort(new Error("enough"))
      await expect(running).rejects.toThrow("enough")
      await aborted.promise
    }
  })

  test("a call that is aborted already does not begin", async () => {
    let ran = false
    const writing = weather(() => {
      ran = true
    })
    const options = { toolCallId: "c", abortSignal: AbortSignal.abort(new Error("enough")) }
    await expect(toAiSdkTools([writing]).weather?.execute({ city: "a" }, options)).rejects.toThrow("enough")
    expect(ran).toBe(false)
  })

  test("prestart tools are not offered (T27)", () => {
    expect(toAiSdkTools([weather(() => "", { visibility: "prestart" })])).toEqual({})
  })
})
