import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { calledWith, deltas, nameOf } from "./looper.ts"

/** The scripted model in the form in which the AI SDK and those who build on it take one. */
export function aiSdkModel(): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "bench",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("only streams")),
    doStream: ({ prompt }) =>
      Promise.resolve({ stream: ReadableStream.from(prompt.at(-1)?.role === "tool" ? answering() : calling()) }),
  }
}

function* calling(): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] }
  yield { type: "tool-call", toolCallId: "call-1", toolName: nameOf(0), input: JSON.stringify(calledWith) }
  yield { type: "finish", usage, finishReason: { unified: "tool-calls", raw: "tool_calls" } }
}

function* answering(): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] }
  yield { type: "text-start", id: "t" }
  for (const delta of deltas) yield { type: "text-delta", id: "t", delta }
  yield { type: "text-end", id: "t" }
  yield { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } }
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}
