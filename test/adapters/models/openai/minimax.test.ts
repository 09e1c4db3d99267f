import { afterEach, beforeEach, expect, test } from "vitest"
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import { collect } from "../../../support/agents.ts"
import { type ChatServer, chatChunk, eventStream, startChatServer } from "../../../support/chat-server.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

const ask = (): Promise<ModelPart[]> =>
  collect(
    openaiModel({ model: "MiniMax-M2", apiKey: "k", baseUrl: server.baseUrl }).stream(
      { messages: [{ role: "user", content: "?" }], tools: [{ name: "now", description: "", inputSchema: {} }] },
      { signal: new AbortController().signal },
    ),
  )

/** The last frame of a stream: the whole answer once more. */
const whole = (message: object, finish_reason: string) => ({
  object: "chat.completion",
  choices: [{ index: 0, finish_reason, message: { role: "assistant", ...message } }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
  base_resp: { status_code: 0, status_msg: "" },
})
const call = { id: "a", type: "function", function: { name: "now", arguments: '{"n":1}' } }
const usage = { type: "usage", usage: { inputTokens: 3, outputTokens: 2 } }

test.each([1, 7, 100_000])(
  "T43 the whole answer that ends MiniMax' stream doubles neither words nor thoughts nor calls, in packets of %i",
  async (packetBytes) => {
    const reply = (chunks: readonly unknown[]) => server.reply({ body: eventStream(chunks, { done: false }), packetBytes })
    reply([
      chatChunk({ reasoning_content: "hm" }),
      chatChunk({ content: "He" }),
      chatChunk({ content: "y" }),
      whole({ content: "Hey", reasoning_content: "hm" }, "stop"),
    ])
    expect(await ask()).toEqual([
      { type: "thinking-delta", delta: "hm" },
      { type: "text-delta", delta: "He" },
      { type: "text-delta", delta: "y" },
      usage,
      { type: "finish", reason: "stop" },
    ])
    reply([
      chatChunk({ content: "", tool_calls: [{ index: 0, ...call, function: { name: "now", arguments: '{"n"' } }] }),
      chatChunk({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
      whole({ content: "", tool_calls: [call] }, "tool_calls"),
    ])
    const expected = [
      { type: "tool-call", call: { id: "a", name: "now", args: '{"n":1}' } },
      usage,
      { type: "finish", reason: "tool-calls" },
    ]
    expect(await ask()).toEqual(expected)
    // What comes there alone counts.
    reply([chatChunk({ role: "assistant", content: "" }), whole({ content: "", tool_calls: [call] }, "tool_calls")])
    expect(await ask()).toEqual(expected)
  },
)

test.each([
  [1004, "credentials", false],
  [1008, "quota", false],
  [1002, "rate-limit", true],
  [1013, "server", true],
  [2013, "bad-request", false],
  [7777, "reported", true],
] as const)(
  "T43 MiniMax' error %i with status 200 is told in its words, as a document and as an event",
  async (code, kind, isRetryable) => {
    const refusal = { id: "x", choices: null, base_resp: { status_code: code, status_msg: "the reason" } }
    for (const body of [JSON.stringify(refusal), eventStream([refusal], { done: false })]) {
      server.reply({ body })
      await expect(ask()).rejects.toMatchObject({
        code: "model",
        message: expect.stringContaining(`the reason (${code})`),
        evidence: { kind, isRetryable },
      })
    }
  },
)
