// An AI SDK model for our agents

export { type AiSdkModelOptions, aiSdkModel } from "./ai-sdk-model.ts"
export type { CacheBreakpointsOption } from "./cache-breakpoints.ts"

// Our prompts in AI SDK apps

export { type LayerSource, type MiddlewareOptions, type PromptstrataMiddleware, promptstrataMiddleware } from "./middleware.ts"
export { type AiSdkPrompt, type AiSdkPromptOptions, toAiSdkPrompt } from "./prompt.ts"
export type { AiSdkLanguageModel, AiSdkMessage, AiSdkSystemMessage, ProviderOptions } from "./provider-model.ts"

// Tools, in both directions

export { fromAiSdkTools } from "./from-ai-sdk-tools.ts"
export { type AiSdkTool, type ToAiSdkToolsOptions, toAiSdkTools } from "./to-ai-sdk-tools.ts"
