export { type Caller, createHandler, type HandlerOptions } from "./handler.ts"
export type { RequestLimits } from "./request-limits.ts"
export { toUiMessageStream, type UiMessageChunk, type UiMessageStreamOptions } from "./ui-message-stream.ts"
