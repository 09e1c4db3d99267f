import type { OpenAI } from "openai"
import { PromptStrataError } from "../../core/errors.ts"
import { type Connection, isOpenaiItself } from "./options.ts"

/** Loads the `openai` package, which costs some 150 ms: only for the first request. */
export type OpenaiLoader = () => Promise<{ readonly OpenAI: typeof OpenAI }>

/** A client for the connection; throws `missing-dependency` without the package and `model` without a key. */
export async function createClient(connection: Connection, load: OpenaiLoader = () => import("openai")): Promise<OpenAI> {
  requireKey(connection)
  const { OpenAI } = await loadOrExplain(load)
  return new OpenAI({
    // The client insists on a key; without one its header is left out below.
    apiKey: connection.apiKey ?? "none",
    baseURL: connection.baseUrl,
    maxRetries: connection.maxRetries,
    defaultHeaders: connection.apiKey === undefined ? { Authorization: null, ...connection.headers } : { ...connection.headers },
    // Its log would show parts of streams; every fault is in the error already.
    logLevel: "off",
  })
}

function requireKey({ apiKey, baseUrl, headers }: Connection): void {
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
  if (apiKey !== undefined || hasHeader || !isOpenaiItself(baseUrl)) return
  throw new PromptStrataError("model", "OpenAI needs an API key, and none was given.", {
    evidence: { isRetryable: false },
    hint: "Set OPENAI_API_KEY or pass `apiKey`; for a local server pass `baseUrl` or set OPENAI_BASE_URL, then no key is needed.",
  })
}

async function loadOrExplain(load: OpenaiLoader): Promise<{ readonly OpenAI: typeof OpenAI }> {
  try {
    return await load()
  } catch (cause) {
    throw new PromptStrataError("missing-dependency", "openaiModel needs the package `openai`, which could not be loaded.", {
      cause,
      hint: "Run `npm install openai`.",
    })
  }
}
