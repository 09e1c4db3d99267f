import { readdirSync, readFileSync } from "node:fs"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type AiSdkLanguageModel, aiSdkModel } from "../../src/adapters/models/ai-sdk/index.ts"
import type { ModelPart } from "../../src/core/model/language-model.ts"
import { type ChatServer, eventStream, startChatServer } from "../support/chat-server.ts"
import { collect } from "../support/collect.ts"
import { dataFolder, dataPresent } from "../support/corpora.ts"

interface Summary {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]
  readonly finish: string
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
}

const files = dataPresent ? readdirSync(`${dataFolder}llm-streams`).filter((file) => file.endsWith(".chunks.txt")) : []
const linesOf = (file: string) =>
  readFileSync(`${dataFolder}llm-streams/${file}`, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
const speaks = (file: string, pattern: RegExp) => pattern.test(linesOf(file)[0] ?? "")

/** This recording holds a line that is no JSON. */
const broken = "openai__parallel-tool-call-wrapper.1.chunks.txt"
const anthropicFiles = files.filter((file) => speaks(file, /"type":"message_start"/))
const responsesFiles = files.filter((file) => file !== broken && speaks(file, /"type":"response\.created"/))
const chatFiles = files.filter((file) => speaks(file, /"choices":\[/))

let server: ChatServer
beforeAll(async () => {
  server = await startChatServer()
})
afterAll(() => server.close())

/** What comes of a recorded body, sent to the real provider package in 7-byte packets. */
async function replayed(lines: readonly string[], model: AiSdkLanguageModel): Promise<Summary> {
  server.reply({ body: eventStream(lines), packetBytes: 7, headers: { connection: "close" } })
  const request = { messages: [{ role: "user" as const, content: "hi" }] }
  return summaryOf(await collect(aiSdkModel(model).stream(request, { signal: new AbortController().signal })))
}

function summaryOf(parts: readonly ModelPart[]): Summary {
  const joined = (type: "text-delta" | "thinking-delta") => parts.map((part) => (part.type === type ? part.delta : "")).join("")
  const usage = parts.filter((part) => part.type === "usage").map((part) => part.usage)
  const finish = parts.filter((part) => part.type === "finish").map((part) => part.reason)
  expect(parts.filter((part) => part.type === "warning")).toEqual([])
  expect(parts.at(-1)?.type).toBe("finish")
  expect([usage.length, finish.length]).toEqual([1, 1])
  return {
    text: joined("text-delta"),
    reasoning: joined("thinking-delta"),
    calls: parts.flatMap((part) =>
      part.type === "tool-call" ? [{ id: part.call.id, name: part.call.name, args: JSON.parse(part.call.args) }] : [],
    ),
    finish: finish[0] ?? "",
    inputTokens: usage[0]?.inputTokens,
    outputTokens: usage[0]?.outputTokens,
  }
}

describe.skipIf(!dataPresent)("recorded bodies through the real provider packages, in 7-byte packets", () => {
  test.each(anthropicFiles)("Anthropic: %s is read as the file says", async (file) => {
    const model = createAnthropic({ apiKey: "k", baseURL: server.baseUrl })("claude-sonnet-4-5")
    for (const lines of answersIn(linesOf(file), "message_stop")) {
      expect(await replayed(lines, model)).toEqual(expectedOfAnthropic(lines.map((line) => JSON.parse(line))))
    }
  })

  test.each(responsesFiles)("OpenAI responses: %s is read as the file says", async (file) => {
    const model = createOpenAI({ apiKey: "k", baseURL: server.baseUrl }).responses("gpt-5")
    for (const lines of answersIn(linesOf(file), "response.completed")) {
      expect(await replayed(lines, model)).toEqual(expectedOfResponses(lines.map((line) => JSON.parse(line))))
    }
  })

  test.each(chatFiles)("OpenAI-compatible: %s is read as the file says", async (file) => {
    const model = createOpenAICompatible({ name: "x", apiKey: "k", baseURL: server.baseUrl })("m")
    const answers = Map.groupBy(linesOf(file), (line) => (JSON.parse(line) as { id: string }).id)
    for (const lines of answers.values()) {
      expect(await replayed(lines, model)).toEqual(expectedOfChat(lines.map((line) => JSON.parse(line))))
    }
  })

  test("a recording with a line that is no JSON is one retryable error", async () => {
    const model = createOpenAI({ apiKey: "k", baseURL: server.baseUrl }).responses("gpt-5")
    await expect(replayed(linesOf(broken), model)).rejects.toMatchObject({
      code: "model",
      evidence: { kind: "broken", isRetryable: true },
    })
  })

  test("every recording of the three protocols is among them", () => {
    expect([anthropicFiles.length, responsesFiles.length, chatFiles.length]).toEqual([15, 22, 10])
  })
})

/** A file may hold several answers after one another; each ends in an event of this type. */
function answersIn(lines: readonly string[], last: string): string[][] {
  const answers: string[][] = [[]]
  for (const line of lines) {
    answers.at(-1)?.push(line)
    if (at(JSON.parse(line), "type") === last) answers.push([])
  }
  return answers.filter((answer) => answer.length > 0)
}

// Readings of the files that share no code with the adapter.

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | null | undefined)?.[key], value)
}

function joined(values: readonly unknown[]): string {
  return values.filter((value) => typeof value === "string").join("")
}

function lastNumber(values: readonly unknown[]): number | undefined {
  return values.filter((value) => typeof value === "number").at(-1)
}

function expectedOfAnthropic(events: readonly unknown[]): Summary {
  const tools = events.filter((event) => at(event, "content_block", "type") === "tool_use")
  const deltas = (index: unknown) =>
    joined(events.filter((e) => at(e, "index") === index).map((e) => at(e, "delta", "partial_json")))
  const usage = (name: string) => lastNumber(events.flatMap((e) => [at(e, "message", "usage", name), at(e, "usage", name)]))
  const stop = events.map((event) => at(event, "delta", "stop_reason")).findLast((word) => typeof word === "string")
  const cached = (usage("cache_read_input_tokens") ?? 0) + (usage("cache_creation_input_tokens") ?? 0)
  return {
    text: joined(events.map((event) => at(event, "delta", "text"))),
    reasoning: joined(events.map((event) => at(event, "delta", "thinking"))),
    calls: tools.map((event) => ({
      id: String(at(event, "content_block", "id")),
      name: String(at(event, "content_block", "name")),
      args: JSON.parse(deltas(at(event, "index")) || "{}"),
    })),
    finish: { end_turn: "stop", tool_use: "tool-calls", refusal: "content-filter" }[String(stop)] ?? "other",
    inputTokens: (usage("input_tokens") ?? 0) + cached,
    outputTokens: usage("output_tokens"),
  }
}

/** Items that the provider package hands on as calls, and where each keeps its input. */
const callItems: Readonly<Record<string, (item: unknown) => unknown>> = {
  function_call: (item) => JSON.parse(String(at(item, "arguments"))),
  custom_tool_call: (item) => at(item, "input"),
  apply_patch_call: (item) => ({ callId: at(item, "call_id"), operation: at(item, "operation") }),
  local_shell_call: (item) => ({ action: at(item, "action") }),
  shell_call: (item) => ({
    action: { commands: at(item, "action", "commands"), maxOutputLength: at(item, "action", "max_output_length") },
  }),
}

function expectedOfResponses(events: readonly unknown[]): Summary {
  const deltas = (type: string) => joined(events.filter((event) => at(event, "type") === type).map((event) => at(event, "delta")))
  const items = events.filter((event) => at(event, "type") === "response.output_item.done").map((event) => at(event, "item"))
  const calls = items.filter((item) => String(at(item, "type")) in callItems)
  const completed = events.at(-1)
  return {
    text: deltas("response.output_text.delta"),
    reasoning: deltas("response.reasoning_summary_text.delta"),
    calls: calls.map((item) => ({
      id: String(at(item, "call_id")),
      name: String(at(item, "name") ?? String(at(item, "type")).replace("_call", "")),
      args: callItems[String(at(item, "type"))]?.(item),
    })),
    // The package says `stop` where only a shell was called.
    finish: calls.some((item) => !String(at(item, "type")).includes("shell")) ? "tool-calls" : "stop",
    inputTokens: lastNumber([at(completed, "response", "usage", "input_tokens")]),
    outputTokens: lastNumber([at(completed, "response", "usage", "output_tokens")]),
  }
}

function expectedOfChat(chunks: readonly unknown[]): Summary {
  const deltas = chunks.map((chunk) => at(chunk, "choices", 0, "delta"))
  const calls = deltas.flatMap((delta) => (at(delta, "tool_calls") ?? []) as unknown[])
  const indexes = [...new Set(calls.map((call) => at(call, "index")))]
  const stop = chunks.map((chunk) => at(chunk, "choices", 0, "finish_reason")).find((word) => typeof word === "string")
  return {
    text: joined(deltas.map((delta) => at(delta, "content"))),
    reasoning: joined(deltas.flatMap((delta) => [at(delta, "reasoning_content"), at(delta, "reasoning")])),
    calls: indexes.map((index) => {
      const own = calls.filter((call) => at(call, "index") === index)
      return {
        id: joined(own.map((call) => at(call, "id"))),
        name: joined(own.map((call) => at(call, "function", "name"))),
        args: JSON.parse(joined(own.map((call) => at(call, "function", "arguments")))),
      }
    }),
    finish: String(stop).replace("tool_calls", "tool-calls"),
    inputTokens: lastNumber(chunks.map((chunk) => at(chunk, "usage", "prompt_tokens"))),
    outputTokens: lastNumber(chunks.map((chunk) => at(chunk, "usage", "completion_tokens"))),
  }
}
