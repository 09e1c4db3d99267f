import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4 } from "@ai-sdk/provider"

/** The key of every provider here. No key pattern matches it. */
export const secretKey = "very!secret!key!123"

/** Models of the real provider packages, connected to a test server. */
export function realProviders(baseURL: string) {
  const options = { apiKey: secretKey, baseURL }
  const openai = createOpenAI(options)
  return {
    anthropic: (modelId = "claude-sonnet-4-5") => createAnthropic(options)(modelId),
    openaiResponses: (modelId = "gpt-5-mini") => openai.responses(modelId),
    openaiChat: (modelId = "gpt-4o") => openai.chat(modelId),
    compatible: (modelId = "qwen3") => createOpenAICompatible({ ...options, name: "local" })(modelId),
  } satisfies Record<string, (modelId?: string) => LanguageModelV4>
}

/** The events of a short answer in each provider's own protocol, each an `event:`-less SSE body's data. */
export const answers = {
  anthropic: [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "claude",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ],
  openaiResponses: [
    { type: "response.created", response: { id: "r", created_at: 1, model: "gpt-5" } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "message", id: "i", status: "in_progress", role: "assistant", content: [] },
    },
    { type: "response.output_text.delta", item_id: "i", output_index: 0, content_index: 0, delta: "ok", logprobs: [] },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "message", id: "i", status: "completed", role: "assistant", content: [] },
    },
    {
      type: "response.completed",
      response: { id: "r", created_at: 1, model: "gpt-5", output: [], usage: { input_tokens: 3, output_tokens: 2 } },
    },
  ],
  openaiChat: [
    {
      id: "c",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: null }],
    },
    { id: "c", created: 1, model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ],
  compatible: [
    {
      id: "c",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: null }],
    },
    { id: "c", created: 1, model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ],
} satisfies Record<keyof ReturnType<typeof realProviders>, readonly unknown[]>

/** The names of the four, for tables of tests. */
export const providerNames = ["anthropic", "openaiResponses", "openaiChat", "compatible"] as const
