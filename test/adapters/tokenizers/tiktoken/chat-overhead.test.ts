import { describe, expect, test } from "vitest"
import { tiktokenCounter } from "../../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"

/** The tool and the counts of OpenAI's cookbook: `get_current_weather`, measured there against the API. */
const weather = {
  name: "get_current_weather",
  description: "Get the current weather in a given location",
  parameters: {
    type: "object",
    properties: {
      location: { type: "string", description: "The city and state, e.g. San Francisco, CA" },
      unit: { type: "string", description: "The unit of temperature to return", enum: ["celsius", "fahrenheit"] },
    },
    required: ["location"],
  },
}
const messages = [
  {
    role: "system",
    content: "You are a helpful assistant that can answer to questions about the weather.",
  },
  { role: "user", content: "What's the weather like in San Francisco?" },
]

describe("the overhead of native tools", () => {
  test.each([
    ["gpt-4", 105],
    ["gpt-4o", 101],
  ])("with messages it is what the cookbook has for %s", async (model, expected) => {
    const counter = await tiktokenCounter({ model })
    const texts = messages.reduce((sum, { content }) => sum + counter.count(content), 0)
    expect(texts + (counter.overhead?.(messages, [weather]) ?? 0)).toBe(expected)
  })

  test("is nothing without tools and grows with nested schemas, which are counted as JSON", async () => {
    const counter = await tiktokenCounter({ model: "gpt-4o" })
    const base = counter.overhead?.([], [weather]) ?? 0
    expect(counter.overhead?.([], [])).toBe(counter.overhead?.([]))
    const nested = { ...weather, parameters: { properties: { a: { type: "array", items: { type: "string" } } } } }
    expect(counter.overhead?.([], [weather, nested])).toBeGreaterThan(base + 7)
  })

  test("S14 counts each tool once, and not in each request, whatever list it stands in", async () => {
    let reads = 0
    const told = Object.defineProperty({ ...weather }, "description", { get: () => `${++reads}`, enumerable: true })
    const counter = await tiktokenCounter({ model: "gpt-4o" })
    const tokens = counter.overhead?.(messages, [told])
    expect(counter.overhead?.(messages, [told])).toBe(tokens)
    expect(counter.overhead?.(messages, [weather, told])).toBeGreaterThan(tokens ?? 0)
    expect(reads).toBe(1)
  })
})
