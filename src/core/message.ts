/** The speaker of a message in a request to a model. */
export type MessageRole = "system" | "developer" | "user" | "assistant" | "tool"

/** A native tool call of an assistant message; `args` is JSON text as the model wrote it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: string
}

/** One message of a request. */
export interface Message {
  readonly role: MessageRole
  readonly content: string
  readonly toolCalls?: readonly ToolCall[]
  readonly toolCallId?: string
}
