import { checkOneArgument } from "../../../core/check-options.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { listOf, parsedJson, recordOf } from "../../../core/json-access.ts"
import { late } from "../../../core/late.ts"
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
import { openaiPictureTokens } from "../picture-tokens.ts"
import { readAnswerBody, readRefusal } from "./answer-body.ts"
import { createChunkReader } from "./chunk-reader.ts"
import {
  type Connection,
  checkOpenaiOptions,
  completionsUrl,
  connectionOf,
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
  let opened: ClientSetup | undefined
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

/** Most requests need none of it. */
const loadFurther = late(() => import("./further.ts"))

/** Everything that a request needs, made with the first one. */
type ClientSetup = ReturnType<typeof open>

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
    target: { id, url: shownUrl(connection.baseUrl), ...connection },
  }
}

async function* streamParts(openOnce: () => ClientSetup, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  const opened = openOnce()
  const { provider, model } = opened.form
  const reader = createChunkReader(
    (request.tools ?? []).map(({ name }) => name),
    { provider, model },
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
      if (error) throw (await loadFurther()).reportedError(error, opened.target)
      // A loop instead of yield*, which costs three more microtasks per part.
      for (const part of reader.push(chunk)) yield part
      if (!reader.begun() && isOther(chunk)) other ||= JSON.stringify(chunk)
    }
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal)
    if (!reader.finished()) throw (await loadFurther()).asModelError(thrown, opened.target, answer !== undefined)
    const what = PromptStrataError.isInstance(thrown) ? "An error came" : "The connection broke"
    const said = PromptStrataError.isInstance(thrown) ? `: ${thrown.message}` : "."
    yield { type: "warning", message: `${what} after the answer was complete${said}` }
  }
  // The client ends an aborted stream like a complete one.
  if (signal.aborted) throw abortedError(signal)
  if (!reader.begun() && (other !== "" || answer?.isDocument)) {
    throw (await loadFurther()).failure({ kind: "not-streamed", isRetryable: false, said: other }, opened.target)
  }
  const { recorded } = reader
  yield* reader.end(recorded.length > 0 ? [(await loadFurther()).recordingOf(recorded, audioFormatOf(opened.form))] : [])
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
  { send, form, target }: ClientSetup,
  { request, signal }: { readonly request: ModelRequest; readonly signal: AbortSignal },
  onOtherText: (text: string) => void,
): Promise<Answer> {
  const media = request.messages.some(({ parts }) => parts) ? await loadFurther() : undefined
  const sent = await send(requestBody(request, { ...form, media }), signal)
  if (!("headers" in sent)) return { chunks: sent, isDocument: false }
  const type = sent.headers.get("content-type") ?? ""
  if (type.includes("text/html")) {
    void sent.body?.cancel().catch(() => undefined)
    const fault = { kind: "web-page", isRetryable: false, said: "a web page", status: sent.status } as const
    throw (await loadFurther()).failure(fault, target)
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
  const { error, object, choices, detail, message, base_resp: refused } = recordOf(chunk)
  // MiniMax answers with status 200 and tells its own code; 0 is none.
  if (recordOf(refused).status_code) return refused
  if (object === "error" || (begun && isOther(chunk) && (detail || message))) return error || chunk
  // OpenRouter reports the error of the provider behind it in the choice.
  return error || recordOf(listOf(choices)[0]).error
}

/**
 * Sends the body of a chat completion with `fetch`, and returns the response of an accepted request. Throws an error with the server's
 * `status`, `headers` and `error` for a refused one, and `ConnectionError` without an answer.
 */
async function sendRequest(connection: Connection, body: object, signal: AbortSignal): Promise<Response> {
  const { href } = completionsUrl(connection.baseUrl)
  const init = { method: "POST", headers: headersOf(connection), body: JSON.stringify(body), signal }
  for (let retry = 0; ; retry++) {
    try {
      return await accepted(await (connection.fetch ?? fetch)(href, init).catch(unreachable))
    } catch (thrown) {
      if (retry >= connection.maxRetries || signal.aborted) throw thrown
      const waitMs = (await loadFurther()).waitBefore(retry, thrown)
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

async function unreachable(cause: unknown): Promise<never> {
  throw new (await loadFurther()).ConnectionError("The request got no answer.", { cause })
}

async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response
  const { status, headers } = response
  const text = await readRefusal(response.body).catch(messageOf)
  const told = parsedJson(text)
  throw Object.assign(new Error(text), { status, headers, error: recordOf(told).error ?? told ?? undefined })
}
