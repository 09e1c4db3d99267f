import { dynamicTool, jsonSchema, tool } from "ai"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { fromAiSdkTools, toAiSdkTools } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { executeTool } from "../../../../src/prompt/tools/execute-tool.ts"
import type { Tool } from "../../../../src/prompt/tools/tool.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"

describe("tools of the package ai as ours", () => {
  const context = {
    key: { agent: "a", conversation: "c", audience: "private" as const, user: "u" },
    turnId: "turn_1",
    clock: { nowMs: () => 0 },
  }
  const run = (given: Tool | undefined, args: unknown, signal = new AbortController().signal) => {
    if (!given) throw new Error("there is no tool")
    return executeTool(given, args, { context, signal, timers: manualTimers(manualClock()), timeoutMs: 1_000, notice: () => "…" })
  }
  const execute = ({ city }: { city: string }) => `${city}: sunny`

  test.each([
    ["zod", z.object({ city: z.string() })],
    [
      "jsonSchema",
      jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
    ],
    [
      "a lazy schema",
      () => jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
    ],
  ])("with a schema by %s: shown, checked where it can be, run", async (name, inputSchema) => {
    const [ours] = fromAiSdkTools({ weather: tool({ description: "The weather", inputSchema, execute }) })
    expect(ours).toMatchObject({
      name: "weather",
      description: "The weather",
      visibility: "planner",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    })
    expect(await run(ours, { city: "杭州" })).toMatchObject({ status: "ok", result: "杭州: sunny" })
    if (name === "zod") expect(await run(ours, {})).toMatchObject({ failure: { kind: "invalid-arguments" } })
  })

  test("a schema's own validation counts", async () => {
    const validate = (value: unknown) =>
      value && typeof value === "object" && "city" in value
        ? { success: true as const, value: { city: "checked" } }
        : { success: false as const, error: new Error("city is missing") }
    const inputSchema = jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }, { validate })
    const [ours] = fromAiSdkTools({ weather: tool({ inputSchema, execute }) })
    expect(await run(ours, { city: "a" })).toMatchObject({ result: "checked: sunny" })
    expect(await run(ours, {})).toMatchObject({ failure: { kind: "invalid-arguments", issues: ["city is missing"] } })
  })

  test("the turn's signal and an id of its own reach execute", async () => {
    const seen: unknown[] = []
    const [ours] = fromAiSdkTools({
      wait: dynamicTool({
        inputSchema: jsonSchema({ type: "object" }),
        execute: (_, { abortSignal, toolCallId }) => {
          seen.push(toolCallId)
          return new Promise((_resolve, reject) => abortSignal?.addEventListener("abort", () => reject(abortSignal.reason)))
        },
      }),
    })
    const controller = new AbortController()
    const runs = [run(ours, {}, controller.signal), run(ours, {}, controller.signal)]
    await new Promise(setImmediate)
    controller.abort()
    expect((await Promise.all(runs)).map((outcome) => outcome.status === "failed" && outcome.failure.kind)).toEqual([
      "aborted",
      "aborted",
    ])
    expect(seen).toEqual(["turn_1-wait-1", "turn_1-wait-2"])
  })

  test("of a stream of results the last counts", async () => {
    const [ours] = fromAiSdkTools({
      count: tool({
        inputSchema: z.object({}),
        async *execute() {
          yield "one"
          yield "two"
        },
      }),
    })
    expect(await run(ours, {})).toMatchObject({ result: "two" })
  })

  test.each<[string, unknown, object]>([
    ["text", { type: "text", value: "short" }, { status: "ok", result: "short" }],
    ["json", { type: "json", value: { a: 1 } }, { status: "ok", result: '{"a":1}' }],
    [
      "content",
      {
        type: "content",
        value: [
          { type: "text", text: "see" },
          { type: "file-data", data: "AAAA", mediaType: "image/png" },
        ],
      },
      { status: "ok", result: 'see\n{"type":"file-data","mediaType":"image/png"}' },
    ],
    ["an error", { type: "error-text", value: "no" }, { status: "failed", failure: { kind: "threw", reason: "no" } }],
    ["a refusal", { type: "execution-denied", reason: "not today" }, { failure: { kind: "threw", reason: "not today" } }],
  ])("toModelOutput decides what the model reads: %s", async (_, output, expected) => {
    const [ours] = fromAiSdkTools({
      weather: tool({
        inputSchema: z.object({}),
        execute: () => "long",
        toModelOutput: () => output as { type: "text"; value: string },
      }),
    })
    expect(await run(ours, {})).toMatchObject(expected)
  })

  test("there and back again a tool does the same", async () => {
    const inputSchema = z.object({ city: z.string(), days: z.number().default(3) })
    const given = defineTool({ name: "weather", description: "W", inputSchema, execute: ({ city, days }) => ({ city, days }) })
    const [back] = fromAiSdkTools(toAiSdkTools([given]))
    expect(back).toMatchObject({ name: "weather", description: "W", inputSchema: given.inputSchema })
    expect(await run(back, { city: "a" })).toMatchObject({ status: "ok", result: '{"city":"a","days":3}' })
    expect(await run(back, {})).toMatchObject({ failure: { kind: "invalid-arguments" } })
  })

  test("a tool that needs approval needs it here too, by its own judgement", async () => {
    const needsApproval = async ({ path }: { path: string }) => path === "/"
    const [always, sometimes, never] = fromAiSdkTools({
      always: { inputSchema: z.object({}), execute, needsApproval: true },
      sometimes: { inputSchema: z.object({ path: z.string() }), execute, needsApproval },
      never: { inputSchema: z.object({}), execute },
    })
    expect([always?.needsApproval, never?.needsApproval]).toEqual([true, false])
    const judge = sometimes?.needsApproval
    if (typeof judge !== "function") throw new Error("expected a function")
    expect([await judge({ path: "/" }), await judge({ path: "a" })]).toEqual([true, false])
    expect(toAiSdkTools([sometimes].filter((tool) => tool !== undefined)).sometimes?.needsApproval).toBe(judge)
  })

  test.each<[string, object, RegExp]>([
    ["without execute", { inputSchema: z.object({}) }, /has no `execute`/],
    ["run by a provider", { type: "provider", id: "openai.web_search", args: {}, execute }, /is run by a provider/],
    [
      "whose schema is a promise",
      { inputSchema: jsonSchema(Promise.resolve({})), execute },
      /has no JSON Schema that can be read at once/,
    ],
  ])("a tool %s is refused", (_, given, message) => {
    expect(() => fromAiSdkTools({ weather: given })).toThrow(
      expect.objectContaining({ code: "tool-definition", message: expect.stringMatching(message) }),
    )
  })
})
