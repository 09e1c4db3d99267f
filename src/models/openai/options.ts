import type { ModelCapabilities } from "../../model/language-model.ts"

/** How to reach a model behind the chat completions API of OpenAI or of any compatible server: Ollama, vLLM, DeepSeek, … */
export interface OpenaiModelOptions {
  /** The model's name as the server knows it. */
  readonly model: string
  /** Default: the environment's `OPENAI_API_KEY`. May be missing where a base URL is given: a local server needs none. */
  readonly apiKey?: string
  /** Up to and with `/v1`. Default: the environment's `OPENAI_BASE_URL`, else OpenAI itself. */
  readonly baseUrl?: string
  /** Default: no developer role and no native tools, since a compatible server may know neither. */
  readonly capabilities?: Partial<ModelCapabilities>
  /** Sent with every request. Values count as secrets: they never appear in an error. */
  readonly headers?: Readonly<Record<string, string>>
  /** Retries inside the client. Default 0: retries belong to the turn, which knows what was already shown. */
  readonly maxRetries?: number
  /** Sends `response_format: json_object` with requests for JSON. Default false: many servers reject it. */
  readonly jsonMode?: boolean
  /** Asks for a usage report at the stream's end. Default true; false for a server that rejects `stream_options`. */
  readonly includeUsage?: boolean
  /** Shown in traces. Default: `openai:` and the model's name. */
  readonly id?: string
}

/** Options with the environment's values filled in, as of the moment of the first request. */
export interface Connection {
  readonly apiKey: string | undefined
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxRetries: number
}

const openaiUrl = "https://api.openai.com/v1"

/** Options, then the environment, then OpenAI's own address. Blank values count as missing. */
export function connectionOf(options: OpenaiModelOptions, env: Readonly<Record<string, string | undefined>>): Connection {
  return {
    apiKey: firstFilled(options.apiKey, env.OPENAI_API_KEY),
    baseUrl: firstFilled(options.baseUrl, env.OPENAI_BASE_URL) ?? openaiUrl,
    headers: options.headers ?? {},
    maxRetries: options.maxRetries ?? 0,
  }
}

/** True for OpenAI's own server, which takes `max_completion_tokens` and needs a key. */
export function isOpenaiItself(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === "api.openai.com"
}

/** The process's environment, or nothing where there is no process. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return globalThis.process?.env ?? {}
}

function firstFilled(...values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== "")
}
