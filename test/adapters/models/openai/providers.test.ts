import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { listOf, recordOf } from "../../../../src/core/json-access.ts"
import type { ModelPart, ModelRequest } from "../../../../src/core/model/language-model.ts"

const [page = "", twin = ""] = ["providers.md", "providers.zh-CN.md"].map((name) =>
  readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8"),
)
const bodies = new URL("providers/", import.meta.url)

/** The cells of the rows of a table of a page, by the name in the first one. */
function rowsOf(title: string, text = page): ReadonlyMap<string, readonly string[]> {
  const section = text.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? ""
  const lines = section.split("\n").filter((line) => /^\| (?!server |服务器 )/.test(line))
  const cells = lines.map((line) => line.split("|").map((cell) => cell.trim()))
  return new Map(cells.map(([, name = "", ...rest]) => [name, rest]))
}

/** Asks a server for an answer, which is `body`. Returns the parts, the body of the request, and the error that ended it. */
async function ask(
  baseUrl: string,
  model: string,
  { body = "", request = {} }: { body?: string; request?: Partial<ModelRequest> },
) {
  const parts: ModelPart[] = []
  let sent: Readonly<Record<string, unknown>> = {}
  const fetch = (_: unknown, init?: { body?: unknown }) => {
    sent = recordOf(JSON.parse(String(init?.body)))
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }))
  }
  const asked = openaiModel({ model, baseUrl, apiKey: "k", fetch: fetch as typeof globalThis.fetch })
  const tools = ["weather", "webSearchTool", "nonUsefulTool"].map((name) => ({ name, description: "", inputSchema: {} }))
  const messages = [{ role: "user" as const, content: "?" }]
  let error = ""
  try {
    const stream = asked.stream({ messages, tools, ...request }, { signal: new AbortController().signal })
    for await (const part of stream) parts.push(part)
  } catch (thrown) {
    error = PromptStrataError.isInstance(thrown) ? thrown.message : String(thrown)
  }
  return { parts, sent, error }
}

/** The model of each server's row. */
const models: Readonly<Record<string, readonly [baseUrl: string, model: string]>> = {
  openai: ["https://api.openai.com/v1", "gpt-5-mini"],
  azure: ["https://mine.openai.azure.com/openai/v1", "gpt-4o"],
  deepseek: ["https://api.deepseek.com/v1", "deepseek-reasoner"],
  openrouter: ["https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5"],
  gemini: ["https://generativelanguage.googleapis.com/v1beta/openai", "gemini-3-flash-preview"],
  minimax: ["https://api.minimax.io/v1", "MiniMax-M2"],
  moonshot: ["https://api.moonshot.ai/v1", "kimi-k3"],
  alibaba: ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen3-max"],
  mistral: ["https://api.mistral.ai/v1", "zai-glm-5-2"],
  xai: ["https://api.x.ai/v1", "grok-3-mini"],
  groq: ["https://api.groq.com/openai/v1", "openai/gpt-oss-20b"],
  cerebras: ["https://api.cerebras.ai/v1", "zai-glm-4.7"],
  perplexity: ["https://api.perplexity.ai", "sonar"],
  ollama: ["http://localhost:11434/v1", "qwen3:8b"],
  vllm: ["http://localhost:8000/v1", "Qwen/Qwen3-8B"],
  lmstudio: ["http://localhost:1234/v1", "qwen3-8b"],
  llamacpp: ["http://localhost:8080/v1", "qwen3-8b.gguf"],
}
const names = Object.keys(models)
const weather = 'weather {"city":"Ulm"}'

/** The meaning of each recorded body: thought, words, calls, then what its provider tells. */
const meant: Readonly<Record<string, readonly [thought: string, words: string, calls: string, told: object]>> = {
  openai: ["", "Hello", "", { model: "gpt-5-mini-2025-08-07", serviceTier: "default", inputTokens: 9, inputCacheReadTokens: 4 }],
  azure: ["", "Hello", "", { model: "gpt-4o-2024-11-20", inputTokens: 9, outputTokens: 2 }],
  deepseek: ["Look it up.", "", 'weather {"city": "Ulm"}', { inputTokens: 13, reasoningTokens: 5, inputCacheReadTokens: 0 }],
  openrouter: ["Look it up.", "", weather, { costUsd: 0.00045, inputTokens: 50, reasoningTokens: 6 }],
  gemini: ["", "<thought>Look it up.</thought>", weather, { inputTokens: 20, outputTokens: 8 }],
  minimax: ["", "<think>\nGreet.\n</think>\n\nHello", "", { inputTokens: 42, reasoningTokens: 4 }],
  moonshot: ["Thinking aloud. ", "Hello!", "", { inputTokens: 9, reasoningTokens: 7 }],
  alibaba: ["", "", 'weather {"location": "San Francisco"}', { inputTokens: 295, outputTokens: 22 }],
  mistral: ["", "", 'webSearchTool {"query": "current Berlin weather"}', { inputTokens: 171, inputCacheReadTokens: 128 }],
  xai: ["First,", "", 'weather {"location":"San Francisco"}', { costUsd: 0.00014975, reasoningTokens: 227 }],
  groq: ["Greet.", "Hello", "", { serviceTier: "on_demand", reasoningTokens: 20 }],
  cerebras: ['The user is asking about a "', "", "nonUsefulTool {}", { outputTokens: 104 }],
  perplexity: ["", "The current", "", { costUsd: 0.00535, citations: expect.any(Array) }],
  ollama: ["Look it up.", "", weather, { inputTokens: 150 }],
  vllm: ["Look it up.", "", 'weather {"city": "Ulm"}', { inputTokens: 150 }],
  lmstudio: ["Hm.", "Hel", "", {}],
  llamacpp: ["Hm.", "Hello", "", { outputTokens: 12 }],
}

describe("docs/providers.md", () => {
  test("has a row in both tables for each of at least 15 servers, of which a body is recorded, and its date is that of the data", () => {
    expect(names.length).toBeGreaterThanOrEqual(15)
    const files = readdirSync(bodies).filter((file) => file !== "README.md")
    expect(files.sort()).toEqual(names.map((name) => `${name}.txt`).sort())
    for (const title of ["What is sent to each", "What each sends, refuses and needs"])
      expect([...rowsOf(title).keys()].sort()).toEqual([...names].sort())
    for (const [name, cells] of rowsOf("What each sends, refuses and needs")) {
      expect(cells.at(-2), `the source of ${name}`).toMatch(/https:\/\/|recorded/)
    }
    const data = readFileSync(new URL("../../../../src/adapters/models/openai/servers.ts", import.meta.url), "utf8")
    const [date] = /\d{4}-\d\d-\d\d/.exec(page) ?? [""]
    expect(data).toContain(`as of ${date}`)
  })

  test("T53 has a twin in Chinese that says the same of each server, as of the same day", () => {
    const english: Readonly<Record<string, string>> = { 否: "no", 发: "yes", 不发: "no" }
    const said = [...rowsOf("给每家发什么", twin)].map(([name, [, ...cells]]) => [
      name,
      cells.map((cell) => english[cell] ?? cell),
    ])
    expect(said).toEqual([...rowsOf("What is sent to each")].map(([name, [, ...cells]]) => [name, cells]))
    const code = (text: string) =>
      [...rowsOf(text === page ? "What each sends, refuses and needs" : "每家发来什么、拒绝什么、需要什么", text)].map(
        ([name, cells]) => [name, ...cells.map((cell) => [...new Set(cell.match(/`[^`]+`|https:[^)]+|\b[2-5]\d\d\b/g))].sort())],
      )
    expect(code(twin)).toEqual(code(page))
    expect(twin.match(/\d{4}-\d\d-\d\d/g)).toEqual(page.match(/\d{4}-\d\d-\d\d/g))
  })

  test.each(names)("T53 tells what a request to %s holds", async (name) => {
    const [baseUrl, model] = models[name] ?? ["", ""]
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
    const messages = [{ role: "system" as const, content: "rules" }]
    const request = { messages, maxOutputTokens: 50, temperature: 0.2 }
    const [held, json] = [
      await ask(baseUrl, model, { request: { ...request, responseFormat: { schema } } }),
      await ask(baseUrl, model, { request: { ...request, responseFormat: "json" } }),
    ]
    const { sent } = held
    const format = String(recordOf(sent.response_format).type ?? "no")
    const limit = ["max_tokens", "max_completion_tokens"].find((key) => key in sent) ?? ""
    const role = String(recordOf(listOf(sent.messages)[0]).role)
    const told = json.parts.flatMap((part) => (part.type === "warning" ? [part.message] : []))
    expect(told.some((message) => message.includes("was asked for JSON"))).toBe(!("response_format" in json.sent))
    expect(told.some((message) => message.includes("takes no temperature"))).toBe(!("temperature" in sent))
    const cells = rowsOf("What is sent to each").get(name) ?? []
    expect(cells.slice(1, -1)).toEqual([
      format === "no" ? "no" : `\`${format}\``,
      `\`${limit}\``,
      "temperature" in sent ? "yes" : "no",
      `\`${role}\``,
      openaiModel({ model, baseUrl }).capabilities.tools ? "yes" : "no",
    ])
  })

  test.each([
    ["google/gemma-3-27b-it", true],
    ["gemma3:1b", false],
    ["gemma-3n-e4b", false],
    ["qwen2.5vl:7b", true],
    ["Qwen/Qwen3-VL-8B-Instruct", true],
    ["qwen-vl-max", true],
    ["qwen3:8b", false],
    ["glm-4.5v", true],
    ["glm-4.6", false],
    ["kimi-k2.5", true],
    ["kimi-k2-0905-preview", false],
    ["moonshot-v1-8k-vision-preview", true],
    ["gemini-2.5-flash", true],
    ["anthropic/claude-sonnet-4.5", true],
    ["openai/gpt-4o-mini", true],
    ["llava:13b", true],
    ["llama3.2-vision", true],
    ["deepseek-chat", false],
    ["mistral-small", false],
  ])("N21 %s takes pictures: %s", (model, sees) => {
    const { attachments } = openaiModel({ model, baseUrl: "http://127.0.0.1:9/v1" }).capabilities
    expect(attachments?.includes("image/png") === true).toBe(sees)
  })

  test.each([
    ["https://openrouter.ai/api/v1", "qwen/qwen3-32b", true],
    ["https://openrouter.ai/api/v1", "sao10k/l3-lunaris-8b", false],
    ["https://open.bigmodel.cn/api/paas/v4", "glm-4.6", true],
    ["https://api.z.ai/api/paas/v4", "glm-4.6", true],
    ["https://openrouter.ai.evil.test/v1", "qwen/qwen3-32b", false],
    ["http://localhost:11434/v1", "qwen3:8b", false],
  ])("N21 at %s, %s calls tools natively: %s", (baseUrl, model, tools) => {
    expect(openaiModel({ model, baseUrl }).capabilities.tools).toBe(tools)
    expect(openaiModel({ model, baseUrl, capabilities: { tools: !tools } }).capabilities.tools).toBe(!tools)
  })

  test.each(names)("T43 T53 the recorded body of %s is read as it is meant", async (name) => {
    const [baseUrl, model] = models[name] ?? ["", ""]
    const { parts, error } = await ask(baseUrl, model, { body: readFileSync(new URL(`${name}.txt`, bodies), "utf8") })
    const joined = (type: string) => parts.map((part) => (part.type === type && "delta" in part ? part.delta : "")).join("")
    const calls = parts.flatMap((part) => (part.type === "tool-call" ? [`${part.call.name} ${part.call.args}`] : []))
    const usage = parts.find(({ type }) => type === "usage")
    const report = parts.find(({ type }) => type === "report")
    const told = { ...recordOf(recordOf(usage).usage), ...recordOf(recordOf(report).report) }
    const [thought, words, call, reported] = meant[name] ?? []
    expect([joined("thinking-delta"), joined("text-delta"), calls.join("; ")]).toEqual([thought, words, call])
    expect(told).toMatchObject(reported ?? {})
    const warnings = parts.filter(({ type }) => type === "warning")
    expect([warnings, error === ""]).toEqual([[], name !== "lmstudio"])
    if (name === "lmstudio") expect(error).toContain("The model has crashed without additional information.")
    else expect(parts.at(-1)).toEqual({ type: "finish", reason: call === "" ? "stop" : "tool-calls" })
  })
})
