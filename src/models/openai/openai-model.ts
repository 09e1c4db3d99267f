import type { OpenAI } from "openai"
import { PromptStrataError } from "../../core/errors.ts"
import { listOf, parsedJson, recordOf } from "../../core/json-access.ts"
import { abortedError, type LanguageModel, type ModelPart, type ModelRequest } from "../../model/language-model.ts"
import { connectionFault, reportedFault, statusFault } from "../fault.ts"
import { type Advice, type ErrorTarget, modelError } from "../model-error.ts"
import { createChunkReader } from "./chunk-reader.ts"
import {
  connectionOf,
  connectionRedactor,
  createClient,
  isOpenaiItself,
  type OpenaiModelOptions,
  shownUrl,
} from "./connection.ts"
import { type RequestForm, requestBody } from "./request-body.ts"

/**
 * Makes a model of the chat completions API of OpenAI or of any compatible server. The package `openai` is needed. It is
 * loaded, and the environment read, with the first request.
 */
export function openaiModel(modelOrOptions: string | OpenaiModelOptions): LanguageModel {
  const options = typeof modelOrOptions === "string" ? { model: modelOrOptions } : modelOrOptions
  const id = options.id ?? `openai:${options.model}`
  const capabilities = { developerRole: false, tools: false, ...options.capabilities }
  let opened: Promise<Opened> | undefined
  const openOnce = () => {
    opened ??= open(options, { id, capabilities }).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  return { id, capabilities, stream: (request, { signal }) => streamParts(openOnce, request, signal) }
}

/** Everything that a request needs, made with the first one. */
interface Opened {
  readonly client: OpenAI
  readonly form: RequestForm
  readonly target: ErrorTarget
}

async function open(
  options: OpenaiModelOptions,
  { id, capabilities }: Pick<LanguageModel, "id" | "capabilities">,
): Promise<Opened> {
  const connection = connectionOf(options, globalThis.process?.env ?? {})
  return {
    client: await createClient(connection),
    form: {
      model: options.model,
      capabilities,
      jsonMode: options.jsonMode ?? false,
      includeUsage: options.includeUsage ?? true,
      outputLimitName: isOpenaiItself(connection.baseUrl) ? "max_completion_tokens" : "max_tokens",
    },
    target: { id, url: shownUrl(connection.baseUrl), redact: connectionRedactor(connection), advice },
  }
}

const advice: Advice = {
  credentials: "Check the key: the option `apiKey` or the environment variable OPENAI_API_KEY.",
  "not-found":
    "Check the model's name and the base URL, which usually ends in /v1. Ollama and other local servers must have loaded the model first.",
  "web-page":
    "A web page came instead of the API's answer. Check the base URL, which usually ends in /v1, and any proxy in between.",
  "not-streamed": "The server does not stream chat completions at this address. Check the base URL, which usually ends in /v1.",
  refused: "Nothing listens at this address. Is the server running? Check the base URL (option `baseUrl` or OPENAI_BASE_URL).",
  "no-such-host": "The host's name could not be resolved. Check the base URL and the network.",
}

async function* streamParts(
  openOnce: () => Promise<Opened>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  const opened = await openOnce()
  const reader = createChunkReader()
  let begun = false
  try {
    const chunks = await openStream(opened, request, signal)
    begun = true
    for await (const chunk of chunks) {
      // A loop instead of yield*, which costs three more microtasks per part.
      for (const part of reader.push(chunk)) yield part
    }
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal)
    if (!reader.finished()) throw asModelError(thrown, opened.target, begun)
    yield { type: "warning", message: "The connection broke after the answer was complete." }
  }
  // The client ends an aborted stream like a complete one.
  if (signal.aborted) throw abortedError(signal)
  yield* reader.end()
}

/** Sends a request and returns the chunks of the answer. An answer that is one JSON document becomes one chunk. */
async function openStream(
  { client, form, target }: Opened,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<unknown> | Iterable<unknown>> {
  const { data, response } = await client.chat.completions.create(requestBody(request, form), { signal }).withResponse()
  const type = response.headers.get("content-type") ?? ""
  if (type.includes("text/html")) {
    data.controller.abort()
    throw modelError({ kind: "web-page", isRetryable: false, said: "a web page", status: response.status }, target)
  }
  return type.includes("application/json") ? [wholeAnswer(await response.text(), target)] : data
}

/** Reads the answer of a server that ignores `stream: true`. It has the shape of a chunk, except `message` for `delta`. */
function wholeAnswer(text: string, target: ErrorTarget): unknown {
  const document = recordOf(parsedJson(text))
  if (document.error !== undefined && document.error !== null) throw modelError(reportedFault(document.error), target)
  const choices = listOf(document.choices).map(recordOf)
  if (choices.length === 0) throw modelError({ kind: "not-streamed", isRetryable: false, said: text }, target)
  return { ...document, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: message })) }
}

/** Turns anything that the client or its stream threw into an error. `begun` is true when the answer had started. */
function asModelError(thrown: unknown, target: ErrorTarget, begun: boolean): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  const { error } = recordOf(thrown)
  // A SyntaxError means that an event of the stream was cut or is not JSON.
  const isBroken = begun || thrown instanceof SyntaxError
  const fault =
    statusFault(thrown, Date.now()) ??
    (error === undefined || error === null ? connectionFault(thrown, isBroken) : reportedFault(error))
  return modelError(fault, target)
}
