export { openaiModel } from "./openai-model.ts"
export type { OpenaiModelOptions } from "./options.ts"
