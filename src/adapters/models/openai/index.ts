// A model for our agents

export type { OpenaiModelOptions } from "./connection.ts"
export { openaiModel } from "./openai-model.ts"

// Our prompts in an app that calls the server itself

export { toOpenaiMessages } from "./request-body.ts"
