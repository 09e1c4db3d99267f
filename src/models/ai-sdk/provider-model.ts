import type { AiSdkMessage } from "./message.ts"
import type { ProviderOptions } from "./provider-options.ts"

/** What identifies an AI SDK model. */
export interface AiSdkModelName {
  /** Such as `openai.responses`. */
  readonly provider: string
  /** Such as `gpt-5-mini`. */
  readonly modelId: string
}

/**
 * The part of the AI SDK's language model interface, provider specification v2, v3 or v4, that is used: any model object of
 * `@ai-sdk/*` or a community provider fits. Structural, so that no package is needed for its types.
 */
export interface AiSdkLanguageModel extends AiSdkModelName {
  readonly specificationVersion: "v2" | "v3" | "v4"
  doStream(options: AiSdkCallOptions): PromiseLike<AiSdkStreamResult>
}

/** What a streaming call hands back. */
export interface AiSdkStreamResult {
  readonly stream: { getReader(): AiSdkStreamReader }
  readonly response?: { readonly headers?: Readonly<Record<string, string>> }
}

/** A `ReadableStreamDefaultReader`. */
export interface AiSdkStreamReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
  cancel(reason?: unknown): Promise<void>
}

/** The call options that are sent; equal in all three versions. */
export interface AiSdkCallOptions {
  prompt: AiSdkMessage[]
  maxOutputTokens?: number
  temperature?: number
  responseFormat?: { type: "json" }
  tools?: AiSdkFunctionTool[]
  abortSignal?: AbortSignal
  headers?: Record<string, string | undefined>
  providerOptions?: ProviderOptions
}

/** A tool as a provider sees it. */
export interface AiSdkFunctionTool {
  type: "function"
  name: string
  description?: string
  inputSchema: object
}
