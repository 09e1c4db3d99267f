export type { OpenaiModelOptions } from "./connection.ts"
export { openaiModel } from "./openai-model.ts"
export { toOpenaiMessages } from "./request-body.ts"
