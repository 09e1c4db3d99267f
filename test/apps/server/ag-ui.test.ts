import { describe, expect, test } from "vitest"
import { z } from "zod"
import { createHandler } from "../../../src/apps/server/handler.ts"
import type { HandlerOptions } from "../../../src/apps/server/serving.ts"
import type { ModelCapabilities } from "../../../src/core/model/language-model.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { formatNamed } from "../../../src/reply/output/formats.ts"
import { type ScriptedAnswer, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { near } from "../../support/error-formulas.ts"
import { png } from "../../support/pictures.ts"

const user = { id: "m1", role: "user", content: "What time is it?" }
const source = { type: "data", value: Buffer.from(png(8, 8)).toString("base64"), mimeType: "image/png" }
const input = { threadId: "t", runId: "r", messages: [user], tools: [], context: [], state: {}, forwardedProps: {} }

/** Runs an agent as `HttpAgent` of `@ag-ui/client` does. */
async function runAgent(
  answers: readonly ScriptedAnswer[],
  body: unknown = input,
  options: Partial<HandlerOptions> = {},
  capabilities: Partial<ModelCapabilities> = {},
) {
  const model = scriptedModel(answers, { capabilities })
  const look = defineTool({ name: "look", description: "Looks at the clock.", inputSchema: z.object({}), execute: () => "three" })
  const { agent } = testAgent(model, { memory: { enabled: false } }, { tools: [look] })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const handle = createHandler({ agents: { fay: agent }, authorize: () => ({ user: "u1" }), onError, ...options })
  const init = { method: "POST", headers: { accept: "text/event-stream" }, body: JSON.stringify(body) }
  const response = await handle(new Request("http://bot.test/ag-ui", init))
  const text = await response.text()
  const events = text.split("\n\n").flatMap((line): Record<string, unknown>[] => {
    return line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []
  })
  const { messages = [] } = model.requests[0] ?? {}
  const parts = messages.flatMap((message) => message.parts ?? [])
  return { response, text, events, errors, parts, prompt: JSON.stringify(messages) }
}

type Events = readonly Readonly<Record<string, unknown>>[]

/** The events with the pieces of a message joined, as any number of pieces is right. */
function joined(events: Events): Events {
  const whole: Record<string, unknown>[] = []
  for (const event of events) {
    const last = whole.at(-1)
    if (last && last.type === event.type && last.messageId === event.messageId) last.delta = `${last.delta}${event.delta}`
    else whole.push({ ...event })
  }
  return whole
}

describe("AG-UI", () => {
  test("tells thoughts, tool calls and text in the order and form of its version 1", async () => {
    const { events, response } = await runAgent([`<think>hm</think>${callTool("look")}`, finish("It is three.")])
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const segment = { text: "It is three.", bubble: 1, mentions: [], files: [], startOfSentence: true }
    expect(joined(events)).toEqual([
      { type: "RUN_STARTED", threadId: "t", runId: "r" },
      { type: "REASONING_START", messageId: "turn-1-1" },
      { type: "REASONING_MESSAGE_START", messageId: "turn-1-1", role: "reasoning" },
      { type: "REASONING_MESSAGE_CONTENT", messageId: "turn-1-1", delta: "hm" },
      { type: "REASONING_MESSAGE_END", messageId: "turn-1-1" },
      { type: "REASONING_END", messageId: "turn-1-1" },
      { type: "TOOL_CALL_START", toolCallId: "call-1", toolCallName: "look" },
      { type: "TOOL_CALL_ARGS", toolCallId: "call-1", delta: "{}" },
      { type: "TOOL_CALL_END", toolCallId: "call-1" },
      { type: "TOOL_CALL_RESULT", messageId: "turn-1-2", toolCallId: "call-1", content: "three", role: "tool" },
      { type: "TEXT_MESSAGE_START", messageId: "turn-1-3", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "turn-1-3", delta: "It is three." },
      { type: "CUSTOM", name: "segment", value: segment },
      { type: "TEXT_MESSAGE_END", messageId: "turn-1-3" },
      { type: "RUN_FINISHED", threadId: "t", runId: "r" },
    ])
  })

  test("reads the words of the conversation, instructions, context and results of tools, and leaves out thoughts", async () => {
    const messages = [
      { id: "1", role: "developer", content: "Be brief." },
      { id: "2", role: "user", content: [{ type: "text", text: "My cat is Momo." }] },
      { id: "3", role: "reasoning", content: "SECRET THOUGHT" },
      { id: "4", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }] },
      { id: "5", role: "tool", toolCallId: "c", content: "RESULT" },
      { id: "6", role: "activity", activityType: "PLAN", content: { plan: "PLAN" } },
      { id: "7", role: "assistant", content: "Nice." },
      { ...user, content: "Its name?" },
    ]
    const context = [{ description: "page", value: "the cat page" }]
    const { prompt, response } = await runAgent([finish("Momo.")], { ...input, messages, context, state: { a: 1 } })
    for (const said of ["Be brief.", "My cat is Momo.", "Nice.", "Its name?", "page: the cat page", "RESULT"])
      expect(prompt).toContain(said)
    for (const unsaid of ["SECRET THOUGHT", "PLAN"]) expect(prompt).not.toContain(unsaid)
    expect(response.headers.get("x-promptstrata-ignored")).toBe("state")
  })

  test("gives the model the user's pictures, by their data or their address, with and without words", async () => {
    const capabilities = { attachments: ["image/png"], attachmentUrls: ["image/png"] }
    const image = (given: object) => ({ id: "1", role: "user", content: [{ type: "image", source: given }] })
    for (const [given, shown] of [
      [source, { mediaType: "image/png", width: 8, height: 8 }],
      [{ type: "url", value: "https://app.test/cat.png" }, { url: "https://app.test/cat.png" }],
    ] as const) {
      const { parts, events } = await runAgent([finish("A cat.")], { ...input, messages: [image(given)] }, {}, capabilities)
      expect(parts).toMatchObject([{ attachment: shown }])
      expect(events.at(-1)?.type).toBe("RUN_FINISHED")
    }
    const broken = { type: "data", value: "bm8=", mimeType: "image/png" }
    const { events } = await runAgent([], { ...input, messages: [image(broken)] })
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "file" })
  })

  test("a failed turn ends with RUN_ERROR in words, and its owner gets the error", async () => {
    const { events, errors } = await runAgent([], input, { locale: "zh-CN" })
    expect(events.map(({ type }) => type)).toEqual(["RUN_STARTED", "RUN_ERROR"])
    expect(events[1]).toEqual({ type: "RUN_ERROR", message: expect.stringMatching(/\p{Script=Han}/u), code: expect.any(String) })
    expect(errors).toHaveLength(1)
  })

  test.each([
    [{ threadId: 1 }, "id of a thread"],
    [{ runId: undefined }, "id of a run"],
    [{ messages: "hi" }, "list of messages"],
    [{ messages: [null] }, "is no object"],
    [{ messages: [{ role: "toString", content: "x" }] }, 'role \\"toString'],
    [{ messages: [{ role: "user", content: [{ type: "image", source: {} }] }] }, "only text"],
    [
      { messages: [{ role: "user", content: [{ type: "image", source: { type: "file", value: "f1" } }] }] },
      "only text and files",
    ],
    [
      {
        messages: [
          { role: "assistant", content: "x" },
          { role: "system", content: [{ type: "image", source }] },
        ],
      },
      "only text is",
    ],
    [{ messages: [{ role: "user" }] }, "is no text"],
    [{ messages: [] }, "Expected a message"],
    [{ tools: [{ description: "", parameters: {} }] }, "tools[0] is no function with a name"],
    [{ forwardedProps: { model: "fey" } }, JSON.stringify(near("fay")).slice(1, -1)],
  ])("%j is refused", async (wrong, said) => {
    const { response, text } = await runAgent([], { ...input, ...wrong })
    expect([400, 404]).toContain(response.status)
    expect(text).toContain(said)
  })
})

describe("H11 segments over HTTP", () => {
  test("are the same for a request that is repeated with its key", async () => {
    const format = formatNamed("emotion_pipe")
    const output = { bubbles: true, ...(format && { format }) }
    const model = scriptedModel([finish("[glad] ||| Hi! Tea?@br\n[shy] ||| Or not.")])
    const { agent } = testAgent(model, { output, memory: { enabled: false } })
    const handle = createHandler({ agents: { fay: agent }, authorize: () => ({ user: "u1" }) })
    const ask = async () => {
      const headers = { "idempotency-key": "k" }
      const init = { method: "POST", headers, body: JSON.stringify(input) }
      const text = await (await handle(new Request("http://bot.test/ag-ui", init))).text()
      return text.split("\n").flatMap((line) => {
        const { name, value, type } = line.startsWith("data: ") ? JSON.parse(line.slice(6)) : {}
        return name === "segment"
          ? `${value.emotion} ${value.bubble} ${value.text.trim()}`
          : type === "TEXT_MESSAGE_START"
            ? [type]
            : []
      })
    }
    const first = await ask()
    expect(first).toEqual(["TEXT_MESSAGE_START", "glad 1 Hi!", "glad 1 Tea?", "TEXT_MESSAGE_START", "shy 2 Or not."])
    expect((await ask()).toSorted()).toEqual(first.toSorted())
    await agent.close()
  })
})
