import type { ProviderOptions } from "./provider-options.ts"

// The part of the AI SDK's message types that an assembly needs, in the form that both a provider's prompt and the
// `messages` of `streamText` take. Mutable, as theirs are.

/** A run of text. */
export interface AiSdkTextPart {
  type: "text"
  text: string
  providerOptions?: ProviderOptions
}

/** A call that the model made. */
export interface AiSdkToolCallPart {
  type: "tool-call"
  toolCallId: string
  toolName: string
  input: unknown
}

/** What came back from a call. */
export interface AiSdkToolResultPart {
  type: "tool-result"
  toolCallId: string
  toolName: string
  output: { type: "text"; value: string }
  providerOptions?: ProviderOptions
}

/** A system message; its content cannot be parts. */
export interface AiSdkSystemMessage {
  role: "system"
  content: string
  providerOptions?: ProviderOptions
}

/** A message of the AI SDK. It has no developer role: providers turn `system` into it where a model wants it. */
export type AiSdkMessage =
  | AiSdkSystemMessage
  | { role: "user"; content: AiSdkTextPart[] }
  | { role: "assistant"; content: (AiSdkTextPart | AiSdkToolCallPart)[] }
  | { role: "tool"; content: AiSdkToolResultPart[] }
