import type { OpenAI } from "openai"
import { PromptStrataError } from "../../core/errors.ts"
import type { ModelCapabilities } from "../../model/language-model.ts"
import { headerSecrets, type Redact, redactorOf } from "../model-error.ts"

/** Options of `openaiModel`, for the chat completions API of OpenAI or of any compatible server: Ollama, vLLM, DeepSeek, … */
export interface OpenaiModelOptions {
  /** The model's name on the server. */
  readonly model: string
  /** Default: the environment's `OPENAI_API_KEY`. A server other than OpenAI's may need none. */
  readonly apiKey?: string
  /** The address up to and including `/v1`. Default: the environment's `OPENAI_BASE_URL`, else OpenAI's own address. */
  readonly baseUrl?: string
  /** Default: no developer role and no native tools, since a compatible server may have neither. */
  readonly capabilities?: Partial<ModelCapabilities>
  /** Sent with every request. The values count as secrets: they never appear in an error. */
  readonly headers?: Readonly<Record<string, string>>
  /** Retries inside the client. Default 0: the turn retries, since it knows what was already shown to the user. */
  readonly maxRetries?: number
  /** Sends `response_format: json_object` with requests for JSON. Default false: many servers reject it. */
  readonly jsonMode?: boolean
  /** Asks for a usage report at the end of the stream. Default true; set false for a server that rejects `stream_options`. */
  readonly includeUsage?: boolean
  /** The name in traces. Default: `openai:` and the model's name. */
  readonly id?: string
}

/** The address and credentials of a server, read at the first request. */
export interface Connection {
  readonly apiKey: string | undefined
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxRetries: number
}

/** Takes each value from the options, else from the environment, else OpenAI's default. Blank values count as missing. */
export function connectionOf(options: OpenaiModelOptions, env: Readonly<Record<string, string | undefined>>): Connection {
  return {
    apiKey: firstFilled(options.apiKey, env.OPENAI_API_KEY),
    baseUrl: firstFilled(options.baseUrl, env.OPENAI_BASE_URL) ?? "https://api.openai.com/v1",
    headers: options.headers ?? {},
    maxRetries: options.maxRetries ?? 0,
  }
}

function firstFilled(...values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== "")
}

/** True for OpenAI's own server, which takes `max_completion_tokens` and needs a key. */
export function isOpenaiItself(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname === "api.openai.com"
}

/**
 * Makes a client. The package is loaded only here, since that takes about 150 ms. Throws `missing-dependency` without the
 * package and `model` when OpenAI's own server is used without a key.
 */
export async function createClient(
  connection: Connection,
  load: () => Promise<{ readonly OpenAI: typeof OpenAI }> = () => import("openai"),
): Promise<OpenAI> {
  requireKey(connection)
  const { OpenAI } = await load().catch((cause: unknown) => {
    const message = "openaiModel needs the package `openai`, which could not be loaded."
    throw new PromptStrataError("missing-dependency", message, { cause, hint: "Run `npm install openai`." })
  })
  return new OpenAI({
    // The client requires a key. Without a real one, its header is left out below.
    apiKey: connection.apiKey ?? "none",
    baseURL: connection.baseUrl,
    maxRetries: connection.maxRetries,
    defaultHeaders: connection.apiKey === undefined ? { Authorization: null, ...connection.headers } : { ...connection.headers },
    // Its log would print parts of streams, and every failure is reported as an error anyway.
    logLevel: "off",
  })
}

function requireKey({ apiKey, baseUrl, headers }: Connection): void {
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
  if (apiKey !== undefined || hasHeader || !isOpenaiItself(baseUrl)) return
  throw new PromptStrataError("model", "OpenAI needs an API key, and none was given.", {
    evidence: { isRetryable: false },
    hint: "Set OPENAI_API_KEY or pass `apiKey`. A local server needs no key: pass `baseUrl` or set OPENAI_BASE_URL.",
  })
}

/** Hides the key, all header values, and the credentials and query values of the base URL. */
export function connectionRedactor({ apiKey, headers, baseUrl }: Connection): Redact {
  return redactorOf([apiKey ?? "", ...headerSecrets(Object.values(headers)), ...urlSecrets(baseUrl)], 6)
}

function urlSecrets(baseUrl: string): readonly string[] {
  const url = URL.parse(baseUrl)
  return url === null ? [] : [url.password, url.username, ...url.searchParams.values()]
}

/** Returns the address of requests without credentials and query, for messages. */
export function shownUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return "an address that is not a URL"
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.endsWith("/") ? pathname.slice(0, -1) : pathname}/chat/completions`
}
