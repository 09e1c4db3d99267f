import type {
  LanguageModelV2,
  LanguageModelV2StreamPart,
  LanguageModelV3StreamPart,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider"
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from "ai/test"

/** Tokens as specifications v3 and v4 report them, all known. */
export const usage = {
  inputTokens: { total: 9, noCache: 3, cacheRead: 5, cacheWrite: 1 },
  outputTokens: { total: 4, text: 1, reasoning: 3 },
}

/** A finish for specifications v3 and v4. */
export const finish = { type: "finish" as const, usage, finishReason: { unified: "stop" as const, raw: "stop" } }

/** A stream that yields these parts at once. */
export function streamOf<Part>(...chunks: Part[]): { stream: ReadableStream<Part> } {
  return { stream: convertArrayToReadableStream(chunks) }
}

/** The package's mock of specification v4, which streams these parts. */
export function modelV4(...parts: LanguageModelV4StreamPart[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({ doStream: async () => streamOf(...parts) })
}

/** The package's mock of specification v3, which streams these parts. */
export function modelV3(...parts: LanguageModelV3StreamPart[]): MockLanguageModelV3 {
  return new MockLanguageModelV3({ doStream: async () => streamOf(...parts) })
}

/** A model of specification v2, of which the package has no mock any more. */
export function modelV2(...parts: LanguageModelV2StreamPart[]): LanguageModelV2 {
  return {
    specificationVersion: "v2",
    provider: "mock-provider",
    modelId: "mock-model-id",
    supportedUrls: {},
    doGenerate: async () => Promise.reject(new Error("only streams")),
    doStream: async () => streamOf(...parts),
  }
}

/** A text block in two deltas, as every specification has it. */
export function textBlock(...deltas: string[]) {
  return [
    { type: "text-start" as const, id: "t" },
    ...deltas.map((delta) => ({ type: "text-delta" as const, id: "t", delta })),
    { type: "text-end" as const, id: "t" },
  ]
}
