export { openaiModel } from "./openai-model.ts"
export type { OpenaiModelOptions } from "./options.ts"
export { toOpenaiMessages } from "./to-openai-messages.ts"
