import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Middleware,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Middleware,
} from "@ai-sdk/provider"
import type { Instructions, ModelMessage, streamText, ToolLoopAgent, ToolSet, wrapLanguageModel } from "ai"
import type { OpenAI } from "openai"
import { expectTypeOf, test } from "vitest"
import type {
  AiSdkLanguageModel,
  AiSdkPrompt,
  fromAiSdkTools,
  PromptstrataMiddleware,
  toAiSdkTools,
} from "../../../../src/adapters/models/ai-sdk/index.ts"
import type { AiSdkCallOptions } from "../../../../src/adapters/models/ai-sdk/provider-model.ts"
import type { toOpenaiMessages } from "../../../../src/adapters/models/openai/index.ts"

type StreamTextOptions = Parameters<typeof streamText>[0]

// Only the type checker reads this. None of it runs.
test("models of all three specifications are accepted as they are", () => {
  expectTypeOf<LanguageModelV4>().toExtend<AiSdkLanguageModel>()
  expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>()
  expectTypeOf<LanguageModelV2>().toExtend<AiSdkLanguageModel>()
})

test("what is sent is what the specifications ask for", () => {
  expectTypeOf<AiSdkCallOptions>().toExtend<LanguageModelV4CallOptions>()
  expectTypeOf<AiSdkCallOptions>().toExtend<LanguageModelV3CallOptions>()
  expectTypeOf<AiSdkCallOptions>().toExtend<LanguageModelV2CallOptions>()
})

test("a converted prompt and converted tools spread into streamText and the ToolLoopAgent", () => {
  expectTypeOf<NonNullable<AiSdkPrompt["instructions"]>>().toExtend<Instructions>()
  expectTypeOf<AiSdkPrompt["messages"]>().toExtend<ModelMessage[]>()
  expectTypeOf<ReturnType<typeof toAiSdkTools>>().toExtend<ToolSet>()
  expectTypeOf<{ model: LanguageModelV4 } & AiSdkPrompt>().toExtend<StreamTextOptions>()
  expectTypeOf<{ model: LanguageModelV4 } & Omit<AiSdkPrompt, "messages">>().toExtend<
    ConstructorParameters<typeof ToolLoopAgent>[0]
  >()
})

test("tools of the package ai convert back", () => {
  expectTypeOf<ToolSet>().toExtend<Parameters<typeof fromAiSdkTools>[0]>()
})

test("the middleware is one of both specifications and fits wrapLanguageModel", () => {
  expectTypeOf<PromptstrataMiddleware>().toExtend<LanguageModelV4Middleware>()
  expectTypeOf<PromptstrataMiddleware<"v3">>().toExtend<LanguageModelV3Middleware>()
  expectTypeOf<PromptstrataMiddleware>().toExtend<Parameters<typeof wrapLanguageModel>[0]["middleware"]>()
})

test("messages for the package openai are its own", () => {
  expectTypeOf<ReturnType<typeof toOpenaiMessages>>().toEqualTypeOf<OpenAI.Chat.Completions.ChatCompletionMessageParam[]>()
})
