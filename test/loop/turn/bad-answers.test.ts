import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { unfinished } from "../../../src/adapters/models/answer-parts.ts"
import { openaiModel } from "../../../src/adapters/models/openai/index.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { type ChatReply, type ChatServer, chatChunk, eventStream, startChatServer } from "../../support/chat-server.ts"

const weather = defineTool({
  name: "weather",
  description: "",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: rain`,
})

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

type Delta = Parameters<typeof chatChunk>[0]
const body = (deltas: readonly Delta[], reason: string | undefined): ChatReply => ({
  body: eventStream(
    deltas.map((delta, at) => chatChunk(delta, at === deltas.length - 1 && reason ? { finish_reason: reason } : {})),
    { done: reason !== undefined },
  ),
})
const words = (content: string): ChatReply => body([{ content }], "stop")
const call = (id: string, city: string, index: number) => ({
  ...{ index, id, type: "function" as const },
  function: { name: "weather", arguments: JSON.stringify({ city }) },
})
const cut = { index: 0, id: "a", type: "function" as const, function: { name: "weather", arguments: '{"city":"U' } }
const lost = unfinished.warning

/** A turn whose model answers with these bodies. A further request would fail. */
async function turnOf(mode: "json" | "native", replies: readonly ChatReply[]) {
  server.reply(...replies)
  const model = openaiModel({ model: "m", baseUrl: server.baseUrl, capabilities: { tools: true } })
  const { session } = testAgent(model, { dialect: "layered", loop: { mode, maxSteps: 3 } }, { tools: [weather] })
  const result = await session.send("?").result
  const { runs, warnings } = result.trace
  return { result, runs, told: warnings.map(({ message }) => message), requests: server.calls.length }
}

describe("a bad answer of a provider ends the turn within its limits, with its reason", () => {
  test.each([
    ["json", [{ content: "<think>I could" }]],
    ["native", [{ reasoning_content: "I could" }]],
  ] as const)("T43 a stream that ends in a thought, in mode %s, is asked again and its end is told", async (mode, deltas) => {
    const again = mode === "json" ? finish("Hi.") : "Hi."
    const { result, told } = await turnOf(mode, [body(deltas, undefined), words(again)])
    expect(result).toMatchObject({ ok: true, text: "Hi.", stopReason: "finish" })
    expect(told).toContain(lost)
  })

  test("T43 a stream that ends in a call runs nothing of it: the model is told, and asked again", async () => {
    const { result, runs, told } = await turnOf("native", [body([{ tool_calls: [cut] }], undefined), words("Sorry.")])
    expect(result).toMatchObject({ ok: true, text: "Sorry.", stopReason: "finish" })
    expect(runs).toMatchObject([{ tool: "weather", status: "failed", failure: "invalid-arguments" }])
    expect(told).toContain(lost)
  })

  test("T43 a stream of a decision that ends in its call runs nothing of it", async () => {
    const decision = '{"action":"tool","tool":"weather","args":{"city":"U'
    const { result, runs } = await turnOf("json", [body([{ content: decision }], undefined), words(finish("Sorry."))])
    expect(result).toMatchObject({ ok: true, text: "Sorry.", stopReason: "finish" })
    expect(runs).toEqual([])
  })

  test("T43 two calls with one id are two calls, each with its own result", async () => {
    const calls = [call("a", "Ulm", 0), call("a", "Bonn", 1)]
    const { result, runs } = await turnOf("native", [body([{ tool_calls: calls }], "tool_calls"), words("Rain.")])
    expect(result).toMatchObject({ ok: true, text: "Rain.", stopReason: "finish" })
    expect(runs.map((run) => run.result)).toEqual(["Ulm: rain", "Bonn: rain"])
    const sent = JSON.stringify(server.calls.at(-1)?.body.messages)
    expect(new Set(sent.match(/"tool_call_id":"[^"]*"/g)).size).toBe(2)
  })

  test.each([
    ["an error object", { error: { message: "No room.", type: "invalid_request_error" } }],
    ["an error of MiniMax", { base_resp: { status_code: 2013, status_msg: "No room." } }],
    ["an error in the choice", { choices: [{ index: 0, delta: {}, error: { code: 400, message: "No room." } }] }],
  ])("T43 %s with status 200 is the turn's error, in its words", async (_, frame) => {
    const { result, requests } = await turnOf("native", [{ body: eventStream([chatChunk({ content: "" }), frame]) }])
    expect(result).toMatchObject({ ok: false, error: { code: "model" } })
    expect(result.ok === false && result.error.message).toContain("No room.")
    expect(requests).toBe(1)
  })

  test.each(["json", "native"] as const)("T43 a call in prose, in mode %s, is an answer, and nothing runs", async (mode) => {
    const { result, runs, requests } = await turnOf(mode, [words("I would call weather(Ulm) now.")])
    expect(result).toMatchObject({ ok: true, text: "I would call weather(Ulm) now.", stopReason: "finish" })
    expect([runs, requests]).toEqual([[], 1])
  })
})
