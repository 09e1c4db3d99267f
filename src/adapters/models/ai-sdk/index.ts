// An AI SDK model for our agents

export { type AiSdkModelOptions, aiSdkModel } from "./ai-sdk-model.ts"

// Our prompts in AI SDK apps

export { type LayerSource, type MiddlewareOptions, type PromptstrataMiddleware, promptstrataMiddleware } from "./middleware.ts"
export { type AiSdkPrompt, toAiSdkPrompt } from "./prompt.ts"
export type { AiSdkLanguageModel } from "./provider-model.ts"

// Tools, in both directions

export { fromAiSdkTools } from "./from-ai-sdk-tools.ts"
export { type AiSdkTool, toAiSdkTools } from "./to-ai-sdk-tools.ts"
