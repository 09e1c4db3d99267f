import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { describe, expect, test } from "vitest"
import { aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { createPartReader } from "../../../../src/adapters/models/ai-sdk/part-reader.ts"
import { collect } from "../../../support/collect.ts"

describe("T46 what a provider of the AI SDK tells of its answer", () => {
  type Part = Readonly<Record<string, unknown>>
  const partsOf = (...parts: readonly Part[]) => {
    const reader = createPartReader("p", "small")
    return [...parts.flatMap((part) => reader.push(part)), ...reader.end()]
  }
  const source = (url: string) => ({ type: "source", sourceType: "url", id: url, url })
  const finish = (more: Part) => ({ type: "finish", finishReason: { unified: "stop" }, ...more })

  test("the model that served, its tier, its price and what it cites are kept", () => {
    const parts = partsOf(
      { type: "response-metadata", modelId: "small-2026" },
      ...["https://a.example/1", "https://a.example/1", "https://b.example/"].map(source),
      { type: "source", sourceType: "document", id: "d", title: "A file", mediaType: "text/plain" },
      finish({
        usage: { inputTokens: { total: 3 }, outputTokens: { total: 2 } },
        providerMetadata: { openrouter: { serviceTier: "flex", usage: { cost: 0.002 } } },
      }),
    )
    const report = { model: "small-2026", serviceTier: "flex", citations: ["https://a.example/1", "https://b.example/"] }
    expect(parts).toContainEqual({ type: "report", report })
    expect(parts).toContainEqual({ type: "usage", usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.002 } })
  })

  test("the server's own usage report counts, too, and a model of the same name is no news", () => {
    const raw = { cost: 0.5, service_tier: "standard" }
    const parts = partsOf({ type: "response-metadata", modelId: "small" }, finish({ usage: { inputTokens: { total: 3 }, raw } }))
    expect(parts).toContainEqual({ type: "report", report: { serviceTier: "standard" } })
    expect(parts).toContainEqual({ type: "usage", usage: { inputTokens: 3, costUsd: 0.5 } })
  })

  test.each([-1, "12", Number.NaN, null, undefined])("a count of %j is no part of the usage, and told if it is there", (odd) => {
    const nested = { inputTokens: { total: odd, noCache: -4 }, outputTokens: { total: 2 }, raw: { total: -9 } }
    const flat = { inputTokens: odd, outputTokens: 2, totalTokens: 2 }
    for (const usage of [nested, flat]) {
      const parts = partsOf(finish({ usage }))
      expect(parts).toContainEqual({ type: "usage", usage: { outputTokens: 2 } })
      const told = parts.flatMap((part) => (part.type === "warning" && part.message.includes("count") ? [part.message] : []))
      const shown = typeof odd === "string" ? '"12"' : String(odd)
      const isTold = odd !== null && odd !== undefined
      expect(told).toEqual(isTold ? [`The usage report holds inputTokens = ${shown}, which is no count, so it is left out.`] : [])
    }
  })

  test("the real openai-compatible package passes them on, also a negative count", async () => {
    const chunks = [
      { id: "1", model: "small-2026", choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }] },
      {
        ...{ id: "1", model: "small-2026", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
        usage: { prompt_tokens: -3, completion_tokens: 2, total_tokens: -1, cost: 0.002 },
      },
    ]
    const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`
    const answer = () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }))
    const small = createOpenAICompatible({ name: "local", baseURL: "https://a.example/v1", fetch: answer })("small")
    const request = { messages: [{ role: "user" as const, content: "?" }] }
    const parts = await collect(aiSdkModel(small).stream(request, { signal: new AbortController().signal }))
    expect(parts).toContainEqual({ type: "report", report: { model: "small-2026" } })
    expect(parts.find(({ type }) => type === "usage")).toMatchObject({ usage: { outputTokens: 2, costUsd: 0.002 } })
    expect(parts.find(({ type }) => type === "usage")).not.toHaveProperty("usage.inputTokens")
    expect(parts.filter(({ type }) => type === "warning").map((part) => part.type === "warning" && part.message)).toContain(
      "The usage report holds inputTokens = -3, which is no count, so it is left out.",
    )
  })
})
