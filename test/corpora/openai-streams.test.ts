import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openaiModel } from "../../src/adapters/models/openai/index.ts"
import type { ModelPart } from "../../src/core/model/language-model.ts"
import { type ChatServer, eventStream, startChatServer } from "../support/chat-server.ts"
import { collect } from "../support/collect.ts"
import { dataFolder, dataPresent } from "../support/corpora.ts"

/** The recorded bodies whose chunks have `choices`; the others are of other APIs. */
const chatShaped = [
  "alibaba__alibaba-reasoning",
  "alibaba__alibaba-tool-call",
  "cerebras__cererebras-structured-output-tools.1",
  "deepseek__deepseek-text",
  "mistral__mistral-incremental-tool-call",
  "mistral__mistral-text",
  "moonshotai__moonshotai-stream",
  "openai-compatible__xai-tool-call",
  "perplexity__perplexity-citations",
  "xai__xai-tool-call",
]

interface RecordedChunk {
  readonly id: string
  readonly usage?: Readonly<Record<string, unknown>> | null
  readonly choices: readonly { readonly delta?: Readonly<Record<string, unknown>>; readonly finish_reason?: string | null }[]
}

describe.skipIf(!dataPresent)("recorded chat completion streams, replayed in 7-byte packets", () => {
  let server: ChatServer
  beforeAll(async () => {
    server = await startChatServer()
  })
  afterAll(() => server.close())

  test.each(chatShaped)("%s: text, reasoning, tool calls, usage and finish are those of the file", async (name) => {
    for (const chunks of answersIn(name)) {
      server.reply({ body: eventStream(chunks), packetBytes: 7 })
      const model = openaiModel({ model: "replayed", apiKey: "unused", baseUrl: server.baseUrl })
      const parts = await collect(model.stream({ messages: [] }, { signal: new AbortController().signal }))
      expect(summaryOf(parts)).toEqual(expectedOf(chunks))
    }
  })

  test("the list is complete: no other recorded body has chunks with choices", () => {
    const files = readdirSync(`${dataFolder}llm-streams`).filter((file) => file.endsWith(".chunks.txt"))
    const chat = files.filter((file) => /^\{[^\n]*"choices":\[/.test(readFileSync(`${dataFolder}llm-streams/${file}`, "utf8")))
    expect(chat.map((file) => file.replace(".chunks.txt", "")).sort()).toEqual(chatShaped)
  })
})

/** A file may hold several answers after one another; each has an id of its own. */
function answersIn(name: string): readonly (readonly RecordedChunk[])[] {
  const lines = readFileSync(`${dataFolder}llm-streams/${name}.chunks.txt`, "utf8").split("\n")
  const chunks = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as RecordedChunk)
  return [...Map.groupBy(chunks, (chunk) => chunk.id).values()]
}

interface Summary {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly unknown[]
  readonly usage: readonly unknown[]
  readonly finish: readonly string[]
  readonly warnings: number
}

function summaryOf(parts: readonly ModelPart[]): Summary {
  const joined = (type: "text-delta" | "thinking-delta") => parts.map((part) => (part.type === type ? part.delta : "")).join("")
  return {
    text: joined("text-delta"),
    reasoning: joined("thinking-delta"),
    calls: parts.filter((part) => part.type === "tool-call").map((part) => part.call),
    usage: parts.filter((part) => part.type === "usage").map((part) => part.usage),
    finish: parts.filter((part) => part.type === "finish").map((part) => part.reason),
    warnings: parts.filter((part) => part.type === "warning").length,
  }
}

/** A reading of the file that shares no code with the adapter: every field joined over all its chunks. */
function expectedOf(chunks: readonly RecordedChunk[]): Summary {
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta ?? {}))
  const joined = (...names: string[]) => deltas.flatMap((delta) => names.map((name) => delta[name] ?? "")).join("")
  const calls = deltas.flatMap(
    (delta) => (delta.tool_calls ?? []) as { id?: string; function: { name?: string; arguments: string } }[],
  )
  const usage = chunks.map((chunk) => chunk.usage).findLast((report) => report != null)
  const reason = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.finish_reason)).find((word) => word != null)
  const short = joined("reasoning")
  const message = short === "" ? { reasoning_content: joined("reasoning_content") } : { reasoning: short }
  // No recorded answer holds more than one call. Its thoughts go back with it.
  const call = {
    id: calls.find((c) => c.id)?.id,
    name: calls.find((c) => c.function.name)?.function.name,
    args: calls.map((c) => c.function.arguments).join(""),
    ...(Object.values(message)[0] === ""
      ? {}
      : { providerData: { message, from: expect.stringMatching(/^127\.0\.0\.1:\d+ replayed$/) } }),
  }
  return {
    text: joined("content"),
    reasoning: joined("reasoning_content", "reasoning"),
    calls: calls.length === 0 ? [] : [call],
    usage: usage ? [expectedUsage(usage)] : [],
    finish: [reason?.replace("tool_calls", "tool-calls") ?? "other"],
    warnings: reason ? 0 : 1,
  }
}

function expectedUsage(report: Readonly<Record<string, unknown>>): unknown {
  const details = (name: string) => (report[name] ?? {}) as Record<string, number | undefined>
  const { cost_in_usd_ticks: ticks } = report
  const usage = {
    costUsd: typeof ticks === "number" ? ticks / 1e10 : undefined,
    inputTokens: report.prompt_tokens,
    inputCacheReadTokens: details("prompt_tokens_details").cached_tokens,
    outputTokens: report.completion_tokens,
    reasoningTokens: details("completion_tokens_details").reasoning_tokens,
  }
  return JSON.parse(JSON.stringify(usage))
}
