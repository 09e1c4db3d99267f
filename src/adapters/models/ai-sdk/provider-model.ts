/** The names of an AI SDK model. */
export interface AiSdkModelName {
  /** Such as `openai.responses`. */
  readonly provider: string
  /** Such as `gpt-5-mini`. */
  readonly modelId: string
}

/**
 * The part of the AI SDK's language model interface (provider specification v2, v3 or v4) that is used here. Every model object
 * of `@ai-sdk/*` or of a community provider fits. The type is structural, so that no package is needed.
 */
export interface AiSdkLanguageModel extends AiSdkModelName {
  readonly specificationVersion: "v2" | "v3" | "v4"
  doStream(options: AiSdkCallOptions): PromiseLike<AiSdkStreamResult>
}

/** The result of a streaming call. */
export interface AiSdkStreamResult {
  readonly stream: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
      cancel(reason?: unknown): Promise<void>
    }
  }
  readonly response?: { readonly headers?: Readonly<Record<string, string>> }
}

/** The call options that are sent. They are equal in all three versions. */
export interface AiSdkCallOptions {
  prompt: AiSdkMessage[]
  maxOutputTokens?: number
  temperature?: number
  responseFormat?: { type: "json"; schema?: object; name?: string }
  tools?: { type: "function"; name: string; description?: string; inputSchema: object }[]
  toolChoice?: { type: "auto" | "none" | "required" } | { type: "tool"; toolName: string }
  abortSignal?: AbortSignal
  headers?: Record<string, string | undefined>
  providerOptions?: ProviderOptions
}

// The AI SDK's message types, as far as an assembly needs them. A provider's prompt and the `messages` of `streamText` both
// take them. They are mutable because the AI SDK's are.

export interface AiSdkTextPart {
  type: "text"
  text: string
  providerOptions?: ProviderOptions
}

/**
 * A picture, a recording or another file. `data` is bytes or a URL, which version 4 of the specification tags. Its type fits all
 * versions, since only this library makes such parts.
 */
export interface AiSdkFilePart {
  type: "file"
  filename?: string
  data: never
  mediaType: string
  providerOptions?: ProviderOptions
}

export interface AiSdkToolResultPart {
  type: "tool-result"
  toolCallId: string
  toolName: string
  output: { type: "text"; value: string }
  providerOptions?: ProviderOptions
}

export interface AiSdkReasoningPart {
  type: "reasoning"
  text: string
  providerOptions?: ProviderOptions
}

export interface AiSdkToolCallPart {
  type: "tool-call"
  toolCallId: string
  toolName: string
  input: unknown
  providerOptions?: ProviderOptions
}

/** The data of a provider on a call and on the thoughts before it, to be sent back in the turn's next steps. Plain JSON. */
export interface ProviderData {
  readonly options: ProviderOptions | undefined
  readonly thoughts: readonly { readonly text: string; readonly options: ProviderOptions | undefined }[]
  /** Data on the text of the step. The first call keeps it. */
  readonly text?: ProviderOptions | undefined
  /** True if the data is of no use after the turn. */
  readonly turnOnly?: boolean
}

/** A system message. Its content cannot have parts. */
export interface AiSdkSystemMessage {
  role: "system"
  content: string
  providerOptions?: ProviderOptions
}

/** A message of the AI SDK. There is no developer role: providers send `system` as `developer` to models that want it. */
export type AiSdkMessage =
  | AiSdkSystemMessage
  | { role: "user"; content: (AiSdkTextPart | AiSdkFilePart)[] }
  | {
      role: "assistant"
      content: (AiSdkTextPart | AiSdkReasoningPart | AiSdkToolCallPart)[]
    }
  | { role: "tool"; content: AiSdkToolResultPart[] }

/** Any JSON value, mutable because the AI SDK's is. */
type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue }

/** Options by provider, such as `{ anthropic: { cacheControl: { type: "ephemeral" } } }`. */
export type ProviderOptions = Record<string, Record<string, JsonValue>>

/** Merges two sets of options, option by option. `wins` wins where both have one. */
export function mergeProviderOptions(base: ProviderOptions, wins: ProviderOptions): ProviderOptions {
  const names = new Set([...Object.keys(base), ...Object.keys(wins)])
  return Object.fromEntries([...names].map((name) => [name, { ...base[name], ...wins[name] }]))
}
