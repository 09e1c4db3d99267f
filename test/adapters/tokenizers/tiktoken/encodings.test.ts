import names from "tiktoken/model_to_encoding.json" with { type: "json" }
import { describe, expect, test } from "vitest"
import { encodingOfModel } from "../../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"

describe("the encoding of a model", () => {
  test("is tiktoken's for every name it lists", () => {
    for (const [name, encoding] of Object.entries(names)) expect(encodingOfModel(name, names), name).toBe(encoding)
  })

  test("follows from its family alone for every chat model that tiktoken lists", () => {
    const chat = Object.entries(names).filter(([name]) => /^(gpt-|o\d|chatgpt-)/.test(name))
    expect(chat.length).toBeGreaterThan(60)
    for (const [name, encoding] of chat) expect(encodingOfModel(name, {}), name).toBe(encoding)
  })

  test.each([
    ["gpt-5.1", "o200k_base"],
    ["gpt-5.2-codex", "o200k_base"],
    ["gpt-5-2030-01-01", "o200k_base"],
    ["gpt-oss-120b", "o200k_base"],
    ["openai/gpt-oss-20b", "o200k_base"],
    ["openai/gpt-4o-mini", "o200k_base"],
    ["ft:gpt-4o-mini-2024-07-18:org::id", "o200k_base"],
    ["ft:gpt-3.5-turbo-0125:org:name:id", "cl100k_base"],
    ["ft:davinci-002:org", "cl100k_base"],
    ["gpt-4-9999", "cl100k_base"],
  ])("of %s is %s", (model, encoding) => {
    expect(encodingOfModel(model, names)).toBe(encoding)
  })

  test.each(["deepseek-chat", "qwen3:8b", "someone/gpt-4o", "gpt-4.7", "gpt-50", "o10", "ft:", "toString", "__proto__", ""])(
    "of %j is nobody's",
    (model) => {
      expect(encodingOfModel(model, names)).toBeUndefined()
    },
  )
})
