import { checkOneArgument } from "../../../core/check-options.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { listOf, parsedJson, recordOf } from "../../../core/json-access.ts"
import {
  abortedError,
  type LanguageModel,
  type ModelCapabilities,
  type ModelPart,
  type ModelRequest,
  pictureTypes,
} from "../../../core/model/language-model.ts"
import { hostTimers } from "../../../core/ports.ts"
import { pause } from "../../../core/timers.ts"
import { defined } from "../../../core/value.ts"
import { createUntold, providerName } from "../answer-parts.ts"
import { ConnectionError, connectionFault, reportedFault, statusFault } from "../fault.ts"
import { type ErrorTarget, modelError } from "../model-error.ts"
import { openaiPictureTokens } from "../picture-tokens.ts"
import words from "../server-words.json" with { type: "json" }
import { readAnswerBody, readRefusal } from "./answer-body.ts"
import { createChunkReader } from "./chunk-reader.ts"
import {
  type Connection,
  checkOpenaiOptions,
  completionsUrl,
  connectionOf,
  connectionRedactor,
  isOpenaiItself,
  type OpenaiClient,
  type OpenaiModelOptions,
  requireKey,
  shownUrl,
} from "./connection.ts"
import { leftOut, type RequestForm, requestBody } from "./request-body.ts"
import { seesPictures, serverFacts } from "./servers.ts"

/**
 * Makes a model of the chat completions API of OpenAI or of any compatible server. The environment is read with the first request.
 * Throws `usage` for unknown options and for options that do not go together.
 */
export function openaiModel(modelOrOptions: string | OpenaiModelOptions, ...more: readonly never[]): LanguageModel {
  checkOneArgument("openaiModel", more)
  const options = typeof modelOrOptions === "string" ? { model: modelOrOptions } : modelOrOptions
  checkOpenaiOptions(options)
  const id = options.id ?? `openai:${options.model}`
  let opened: Opened | undefined
  const openOnce = () => {
    opened ??= open(options, id)
    return opened
  }
  return {
    id,
    // Read each time, because the address may come from the environment.
    get capabilities() {
      return capabilitiesOf(options, currentConnection(options))
    },
    stream: (request, { signal }) => streamParts(openOnce, request, signal),
  }
}

function currentConnection(options: OpenaiModelOptions): Connection {
  return connectionOf(options, globalThis.process?.env ?? {})
}

/** OpenAI's own models all call tools, and nearly all see. Of another server its documentation says a little, and the model's name if it sees. */
function capabilitiesOf({ model, jsonMode, capabilities }: OpenaiModelOptions, { baseUrl }: Connection): ModelCapabilities {
  const isOwn = isOpenaiItself(baseUrl)
  const pictureTokens = openaiPictureTokens(model)
  const { jsonSchema, jsonMode: takesJson, tools } = serverFacts(baseUrl)
  const seen = isOwn ? ownAttachments(model) : seesPictures(model) ? { attachments: [...pictureTypes] } : {}
  const known = defined({ jsonSchema, jsonMode: jsonMode ?? takesJson, ...seen })
  return { developerRole: false, tools: isOwn || tools?.test(model) === true, pictureTokens, ...known, ...capabilities }
}

function ownAttachments(model: string): Pick<ModelCapabilities, "attachments" | "attachmentUrls"> {
  if (/audio/i.test(model)) return { attachments: ["audio/wav", "audio/mpeg"] }
  if (/^(gpt-3|o1-mini|o3-mini|gpt-4(-\d|$))/i.test(model)) return {}
  return { attachments: [...pictureTypes, "application/pdf"], attachmentUrls: [...pictureTypes] }
}

/** Everything that a request needs, made with the first one. */
type Opened = ReturnType<typeof open>

function open(options: OpenaiModelOptions, id: string) {
  const connection = currentConnection(options)
  const { client, model, includeUsage = true, extraBody = {} } = options
  const { outputLimitName = "max_tokens", fixedTemperature, developer } = serverFacts(connection.baseUrl)
  if (client === undefined) requireKey(connection)
  return {
    send: (body: ReturnType<typeof requestBody>, signal: AbortSignal): Promise<Response | AsyncIterable<unknown>> =>
      client === undefined ? sendRequest(connection, body, signal) : sendByClient(client, body, { signal, ...connection }),
    untold: createUntold(),
    form: {
      ...{ model, includeUsage, extraBody, outputLimitName },
      capabilities: capabilitiesOf(options, connection),
      provider: providerName(URL.parse(connection.baseUrl)?.host ?? "", model),
      fixedTemperature: fixedTemperature?.test(model) === true && extraBody.reasoning_effort !== "none",
      systemRole: developer?.test(model) ? "developer" : "system",
    } satisfies RequestForm,
    target: { id, url: shownUrl(connection.baseUrl), redact: connectionRedactor(connection), advice: words.openaiAdvice },
  }
}

async function* streamParts(openOnce: () => Opened, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  const opened = openOnce()
  const { provider, model } = opened.form
  const reader = createChunkReader(
    (request.tools ?? []).map(({ name }) => name),
    { audioFormat: audioFormatOf(opened.form), provider, model },
  )
  let answer: Answer | undefined
  /** The beginning of an answer that may be no chat completion. */
  let other = ""
  try {
    for (const what of opened.untold(leftOut(request, opened.form)))
      yield { type: "warning", message: `${opened.target.id} ${what}` }
    answer = await openAnswer(opened, { request, signal }, (text) => {
      other = text
    })
    for await (const chunk of answer.chunks) {
      const error = errorIn(chunk, reader.begun())
      if (error) throw modelError(reportedFault(error), opened.target)
      // A loop instead of yield*, which costs three more microtasks per part.
      for (const part of reader.push(chunk)) yield part
      if (!reader.begun() && isOther(chunk)) other ||= JSON.stringify(chunk)
    }
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal)
    if (!reader.finished()) throw asModelError(thrown, opened.target, answer !== undefined)
    const what = PromptStrataError.isInstance(thrown) ? "An error came" : "The connection broke"
    const said = PromptStrataError.isInstance(thrown) ? `: ${thrown.message}` : "."
    yield { type: "warning", message: `${what} after the answer was complete${said}` }
  }
  // The client ends an aborted stream like a complete one.
  if (signal.aborted) throw abortedError(signal)
  if (!reader.begun() && (other !== "" || answer?.isDocument)) {
    throw modelError({ kind: "not-streamed", isRetryable: false, said: other }, opened.target)
  }
  yield* reader.end()
}

/** The form of recordings that the owner asked for, by `extraBody: { modalities: ["text", "audio"], audio: { voice, format } }`. */
function audioFormatOf({ extraBody }: RequestForm): string | undefined {
  const { format } = recordOf(extraBody.audio)
  return typeof format === "string" ? format : undefined
}

/** The answer to a request while it comes. */
interface Answer {
  readonly chunks: AsyncIterable<unknown>
  /** True if its content type promises a document, so that an empty one is a fault. */
  readonly isDocument: boolean
}

/** Sends a request. A wrapped client may give only a stream of chunks; everything else gives a response, which is read here. */
async function openAnswer(
  { send, form, target }: Opened,
  { request, signal }: { readonly request: ModelRequest; readonly signal: AbortSignal },
  onOtherText: (text: string) => void,
): Promise<Answer> {
  const sent = await send(requestBody(request, form), signal)
  if (!("headers" in sent)) return { chunks: sent, isDocument: false }
  const type = sent.headers.get("content-type") ?? ""
  if (type.includes("text/html")) {
    void sent.body?.cancel().catch(() => undefined)
    throw modelError({ kind: "web-page", isRetryable: false, said: "a web page", status: sent.status }, target)
  }
  return { chunks: readAnswerBody(sent.body, onOtherText), isDocument: type.includes("application/json") }
}

async function sendByClient(
  client: OpenaiClient,
  body: ReturnType<typeof requestBody>,
  { signal, maxRetries }: { readonly signal: AbortSignal; readonly maxRetries: number },
): Promise<Response | AsyncIterable<unknown>> {
  const sent = client.chat.completions.create(body, { signal, maxRetries })
  return hasResponse(sent) ? sent.asResponse() : ((await sent) as AsyncIterable<unknown>)
}

function hasResponse(sent: object): sent is { asResponse(): Promise<Response> } {
  return "asResponse" in sent && typeof sent.asResponse === "function"
}

/** True for an object that is no chunk of a chat completion, such as an event of another API. */
function isOther(chunk: unknown): boolean {
  const fields = recordOf(chunk)
  return Object.keys(fields).length > 0 && !("choices" in fields) && !("usage" in fields)
}

/** Returns the error that a chunk reports, in any of the shapes that servers use. Some are known for errors only once an answer has `begun`. */
function errorIn(chunk: unknown, begun: boolean): unknown {
  const { error, object, choices, detail, message } = recordOf(chunk)
  const refused = minimaxError(recordOf(chunk).base_resp)
  if (refused) return refused
  if (object === "error" || (begun && isOther(chunk) && (detail || message))) return error || chunk
  // OpenRouter reports the error of the provider behind it in the choice.
  return error || recordOf(listOf(choices)[0]).error
}

/** By MiniMax' code of an error, the status that other servers answer with. */
const minimaxStatus = new Map(Object.entries(words.minimaxStatus))

/** The error of MiniMax, which answers with status 200 and tells its own code in `base_resp`; 0 is none. */
function minimaxError(base: unknown): unknown {
  const { status_code: code, status_msg: said } = recordOf(base)
  if (!code) return undefined
  return { code: minimaxStatus.get(String(code)), message: `${said || "no reason was given"} (${code})` }
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

/**
 * Sends the body of a chat completion with `fetch`, and returns the response of an accepted request. Throws an error with the server's
 * `status`, `headers` and `error` for a refused one, and {@link ConnectionError} without an answer.
 */
async function sendRequest(connection: Connection, body: object, signal: AbortSignal): Promise<Response> {
  const { href } = completionsUrl(connection.baseUrl)
  const init = { method: "POST", headers: headersOf(connection), body: JSON.stringify(body), signal }
  for (let retry = 0; ; retry++) {
    try {
      return await accepted(await (connection.fetch ?? fetch)(href, init).catch(unreachable))
    } catch (thrown) {
      const waitMs = retry < connection.maxRetries && !signal.aborted ? waitBefore(retry, thrown) : undefined
      if (waitMs === undefined) throw thrown
      await pause(waitMs, { timers: hostTimers, signal })
      signal.throwIfAborted()
    }
  }
}

/** The owner's headers win over the others. */
function headersOf({ apiKey, organization, project, headers }: Connection): Headers {
  const sent = new Headers({ accept: "application/json", "content-type": "application/json" })
  if (apiKey !== undefined) sent.set("authorization", `Bearer ${apiKey}`)
  if (organization !== undefined) sent.set("openai-organization", organization)
  if (project !== undefined) sent.set("openai-project", project)
  for (const [name, value] of Object.entries(headers)) sent.set(name, value)
  return sent
}

function unreachable(cause: unknown): never {
  throw new ConnectionError("The request got no answer.", { cause })
}

async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response
  const { status, headers } = response
  const text = await readRefusal(response.body).catch(messageOf)
  const told = parsedJson(text)
  throw Object.assign(new Error(text), { status, headers, error: recordOf(told).error ?? told ?? undefined })
}

const firstWaitMs = 500
const longestWaitMs = 8_000
/** A server that asks for longer gets the usual wait. */
const longestAskedMs = 60_000

/** Returns how long to wait before a request is sent again, or `undefined` for an error that would come again. */
function waitBefore(retry: number, thrown: unknown): number | undefined {
  const fault = statusFault(thrown, Date.now())
  const { headers } = recordOf(thrown)
  const advised = headers instanceof Headers ? headers.get("x-should-retry") : undefined
  const isWorthwhile = advised === "true" || (advised !== "false" && (fault?.isRetryable ?? thrown instanceof ConnectionError))
  if (!isWorthwhile) return undefined
  if (fault?.retryAfterMs !== undefined && fault.retryAfterMs <= longestAskedMs) return fault.retryAfterMs
  // Programs that failed together do not come again together.
  return Math.min(firstWaitMs * 2 ** retry, longestWaitMs) * (1 - Math.random() / 4)
}
