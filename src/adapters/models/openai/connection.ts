import type { OpenAI } from "openai"
import { checkOptions } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { recordOf, stringOf } from "../../../core/json-access.ts"
import type { ModelCapabilities } from "../../../core/model/language-model.ts"

/** Options of `openaiModel`, for the chat completions API of OpenAI or of any compatible server: Ollama, vLLM, DeepSeek, … */
export interface OpenaiModelOptions {
  /** The model's name on the server. */
  readonly model: string
  /** Default: the environment's `OPENAI_API_KEY`. A server other than OpenAI's may need none. */
  readonly apiKey?: string | undefined
  /** The address up to and including `/v1`. Default: the environment's `OPENAI_BASE_URL`, else OpenAI's own address. */
  readonly baseUrl?: string | undefined
  /** Default: no developer role, and native tools for OpenAI's own address only, since a compatible server may have neither. */
  readonly capabilities?: Partial<ModelCapabilities>
  /** Sent with every request. The values count as secrets: they never appear in an error. */
  readonly headers?: Readonly<Record<string, string>>
  /** Retries of one request. Default 0: the turn retries, since it knows what was already shown to the user. */
  readonly maxRetries?: number
  /** Sends `response_format: json_object` with requests for JSON. Default: for servers that are known to take it, as DeepSeek's. */
  readonly jsonMode?: boolean | undefined
  /** Asks for a usage report at the end of the stream. Default true; set false for a server that rejects `stream_options`. */
  readonly includeUsage?: boolean
  /** More fields of every request, such as `{ reasoning_effort: "low" }`. They win over those that are sent anyway. */
  readonly extraBody?: Readonly<Record<string, unknown>>
  /** Makes the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /**
   * A client of the package `openai`, also a wrapped one, such as that of `observeOpenAI`. It brings its own key, address,
   * headers and `fetch`.
   */
  readonly client?: OpenaiClient
  /** The name in traces. Default: `openai:` and the model's name. */
  readonly id?: string
}

/** The part of a client of the package `openai` that is used here. */
export interface OpenaiClient {
  readonly baseURL?: string
  readonly chat: {
    readonly completions: {
      create(
        body: OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming,
        options: { readonly signal: AbortSignal; readonly maxRetries: number },
      ): PromiseLike<unknown>
    }
  }
}

/** Throws `usage` for an unknown option, and for options that do not go together. */
export function checkOpenaiOptions(options: OpenaiModelOptions): void {
  checkOptions(
    "openaiModel",
    options,
    "model apiKey baseUrl capabilities headers maxRetries jsonMode includeUsage extraBody fetch client id",
  )
  const { client, extraBody = {} } = options
  const twice = (["apiKey", "baseUrl", "headers", "fetch"] as const).find((name) => options[name] !== undefined)
  if (client !== undefined && twice !== undefined) {
    throw new PromptStrataError("usage", `openaiModel got both \`client\` and \`${twice}\`, of which only one can count.`, {
      hint: `Set the client's own ${twice} where it is made, or leave out \`client\`.`,
      evidence: { name: twice },
    })
  }
  const own = ["messages", "stream"].find((name) => Object.hasOwn(extraBody, name))
  if (own === undefined) return
  throw new PromptStrataError("usage", `\`extraBody\` of openaiModel has \`${own}\`, which the agent itself sends.`, {
    hint: `Leave \`${own}\` out. Prompts are changed in the profile.`,
    evidence: { name: own },
  })
}

/** The address and credentials of a server, read at the first request. */
export interface Connection {
  readonly apiKey: string | undefined
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxRetries: number
  readonly fetch: typeof fetch | undefined
  /** Of a key that belongs to several of them. */
  readonly organization?: string | undefined
  readonly project?: string | undefined
}

/**
 * Takes each value from the client if there is one, else from the options, else from the environment, else OpenAI's default.
 * Blank values count as missing.
 */
export function connectionOf(options: OpenaiModelOptions, env: Readonly<Record<string, string | undefined>>): Connection {
  const maxRetries = options.maxRetries ?? 0
  if (options.client) {
    const { apiKey, baseURL } = recordOf(options.client)
    return { apiKey: firstFilled(stringOf(apiKey)), baseUrl: stringOf(baseURL), headers: {}, maxRetries, fetch: undefined }
  }
  return {
    apiKey: firstFilled(options.apiKey, env.OPENAI_API_KEY),
    baseUrl: firstFilled(options.baseUrl, env.OPENAI_BASE_URL) ?? "https://api.openai.com/v1",
    headers: options.headers ?? {},
    maxRetries,
    fetch: options.fetch,
    organization: firstFilled(env.OPENAI_ORG_ID),
    project: firstFilled(env.OPENAI_PROJECT_ID),
  }
}

function firstFilled(...values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== "")
}

/** True for OpenAI's own server, which takes `max_completion_tokens` and needs a key. */
export function isOpenaiItself(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname === "api.openai.com"
}

/** Throws `model` if OpenAI's own server would be used without a key. */
export function requireKey({ apiKey, baseUrl, headers }: Connection): void {
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
  if (apiKey !== undefined || hasHeader || !isOpenaiItself(baseUrl)) return
  throw new PromptStrataError("model", "OpenAI needs an API key, and none was given.", {
    evidence: { isRetryable: false },
    hint: "Set OPENAI_API_KEY or pass `apiKey`. A local server needs no key: pass `baseUrl` or set OPENAI_BASE_URL.",
  })
}

/** The address of requests. Throws `TypeError` for a base URL that is none. */
export function completionsUrl(baseUrl: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url.pathname}/chat/completions`
  return url
}

/** Returns the address of requests without credentials and query, for messages. */
export function shownUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return "an address that is not a URL"
  const { origin, pathname } = completionsUrl(baseUrl)
  return `${origin}${pathname}`
}
