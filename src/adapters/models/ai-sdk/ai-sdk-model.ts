import { checkOptions } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { recordOf } from "../../../core/json-access.ts"
import { late } from "../../../core/late.ts"
import {
  abortedError,
  type LanguageModel,
  type ModelCapabilities,
  type ModelPart,
  type ModelRequest,
  pictureTypes,
} from "../../../core/model/language-model.ts"
import { orAborted } from "../../../core/timers.ts"
import { createUntold, providerName } from "../answer-parts.ts"
import { anthropicPictureTokens, geminiPictureTokens, openaiPictureTokens } from "../picture-tokens.ts"
import { type CacheBreakpointsOption, type CacheForm, cacheFormOf, cacheKeyOptions, cacheMarks } from "./cache-breakpoints.ts"
import { createPartReader } from "./part-reader.ts"
import { toPrompt } from "./prompt.ts"
import type { AiSdkTarget } from "./provider-errors.ts"
import {
  type AiSdkCallOptions,
  type AiSdkLanguageModel,
  type AiSdkStreamResult,
  mergeProviderOptions,
  type ProviderOptions,
} from "./provider-model.ts"

/** Options of `aiSdkModel`. */
export interface AiSdkModelOptions {
  /** The name in traces. Default: provider and model, such as `openai.responses:gpt-5-mini`. */
  readonly id?: string
  /** Default: native tools, which every provider takes, and no developer role, which the provider interface does not have. */
  readonly capabilities?: Partial<ModelCapabilities>
  /** Sent with every request. The values count as secrets: they never appear in an error. */
  readonly headers?: Readonly<Record<string, string>>
  /** The provider's own options, sent with every request. They win over those that cache breakpoints set. */
  readonly providerOptions?: ProviderOptions
  /** Asks for JSON when the request does. Default false: some providers refuse or ignore that without a schema. */
  readonly jsonMode?: boolean
  /** Marks the ends of the assembly's stable prefixes for the provider's prompt cache. Default true. */
  readonly cacheBreakpoints?: CacheBreakpointsOption
}

/**
 * Makes a model of any language model of the AI SDK (provider specification v2, v3 or v4). It is called as `model.doStream()`;
 * the package `ai` is not needed. The turn does the retries and runs the tools. Throws `usage` for any other value and for unknown options.
 */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): LanguageModel {
  requireModel(model)
  checkOptions("aiSdkModel", options, "id capabilities headers providerOptions jsonMode cacheBreakpoints")
  const id = options.id ?? `${model.provider}:${model.modelId}`
  const { cacheBreakpoints = true, headers = {}, providerOptions = {}, jsonMode = false } = options
  const capabilities = { developerRole: false, tools: true, jsonMode, ...attachmentsOf(model), ...options.capabilities }
  const cacheForm = cacheFormOf(model, cacheBreakpoints)
  const form = {
    provider: providerName(model.provider, model.modelId),
    tools: capabilities.tools,
    tagged: model.specificationVersion === "v4",
    jsonSchema: capabilities.jsonSchema ?? true,
    jsonMode: capabilities.jsonMode,
    headers,
    providerOptions,
    cacheForm,
  }
  const target = { id, model, headers }
  const isUncached = cacheBreakpoints !== false && cacheForm === undefined
  const untold = createUntold()
  return {
    id,
    capabilities,
    stream: (request, { signal }) =>
      streamParts({ target, request, form, signal, warnings: untold(leftOut(request, form, isUncached)) }),
  }
}

function requireModel(model: unknown): void {
  const { specificationVersion: version, doStream } = recordOf(model)
  if (["v2", "v3", "v4"].includes(String(version)) && typeof doStream === "function") return
  const found =
    typeof model === "string" ? `the name ${JSON.stringify(model)}` : `specification ${JSON.stringify(version ?? null)}`
  throw new PromptStrataError("usage", `expected a model of the AI SDK's provider specification v2, v3 or v4, found ${found}.`, {
    hint: 'Pass the model object of a provider package, such as `openai("gpt-5-mini")` of "@ai-sdk/openai".',
  })
}

/** Says what a request asks for and the provider does not get. */
function leftOut({ assembly, responseFormat }: ModelRequest, { jsonMode }: RequestForm, isUncached: boolean): (string | false)[] {
  const hasPrefix = assembly?.prefixes.some((prefix) => prefix.tokens > 0) === true
  const toMark = 'Set `cacheBreakpoints` to "anthropic" or "openai" if it takes theirs, or to false.'
  return [
    isUncached && hasPrefix && `has no form of cache breakpoints that is known here, so none are sent. ${toMark}`,
    responseFormat === "json" &&
      !jsonMode &&
      "was asked for JSON, which is not sent, because some providers refuse it: set `jsonMode` if it does not.",
  ]
}

/** By the beginning of a provider's name, the media types that nearly all its models take. Of other providers nobody knows. */
const attachmentsByProvider: readonly (readonly [RegExp, Pick<ModelCapabilities, "attachments" | "attachmentUrls">])[] = [
  [/^(openai|azure)/, { attachments: [...pictureTypes, "application/pdf"], attachmentUrls: [...pictureTypes] }],
  [/anthropic/, { attachments: [...pictureTypes, "application/pdf"], attachmentUrls: [...pictureTypes, "application/pdf"] }],
  [/^(google|vertex|gemini)/, { attachments: [...pictureTypes, "application/pdf", "audio/*"] }],
  [/bedrock/, { attachments: [...pictureTypes, "application/pdf"] }],
  [/^(xai|mistral)/, { attachments: [...pictureTypes], attachmentUrls: [...pictureTypes] }],
]

function attachmentsOf({ provider, modelId }: AiSdkLanguageModel): Partial<ModelCapabilities> {
  const taken = attachmentsByProvider.find(([name]) => name.test(provider))?.[1] ?? {}
  const isGemini = /gemini|google/i.test(`${provider} ${modelId}`)
  const isClaude = /claude|anthropic/i.test(`${provider} ${modelId}`)
  const pictureTokens = isClaude ? anthropicPictureTokens : isGemini ? geminiPictureTokens : openaiPictureTokens(modelId)
  return { ...taken, pictureTokens }
}

/** Settings of the model that shape every request. */
interface RequestForm {
  /** Whose data of earlier calls goes back. */
  readonly provider: string
  readonly tools: boolean
  readonly jsonSchema: boolean
  /** True for version 4 of the specification. */
  readonly tagged: boolean
  readonly jsonMode: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly providerOptions: ProviderOptions
  readonly cacheForm: CacheForm | undefined
}

/** Makes the call options of the provider interface. Tools and formats that the model does not support are left out. */
function callOptions(request: ModelRequest, form: RequestForm, abortSignal: AbortSignal): AiSdkCallOptions {
  const { toolChoice } = request
  const tools = form.tools ? (request.tools ?? []) : []
  const providerOptions = mergeProviderOptions(cacheKeyOptions(request.assembly, form.cacheForm), form.providerOptions)
  return {
    prompt: toPrompt(request.messages, { marks: cacheMarks(request, form), tagged: form.tagged, provider: form.provider }),
    abortSignal,
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...responseFormat(request.responseFormat, form),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({ type: "function" as const, name, description, inputSchema })),
      ...(toolChoice !== undefined && {
        toolChoice: typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool" as const, toolName: toolChoice.tool },
      }),
    }),
    ...(Object.keys(form.headers).length > 0 && { headers: { ...form.headers } }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}

/** Every provider takes a schema, or warns that it does not; JSON without one is asked for only in JSON mode. */
function responseFormat(asked: ModelRequest["responseFormat"], { jsonMode, jsonSchema }: RequestForm): Partial<AiSdkCallOptions> {
  if (typeof asked === "object" && jsonSchema) return { responseFormat: { type: "json", schema: asked.schema, name: "answer" } }
  return jsonMode && asked !== undefined && asked !== "text" ? { responseFormat: { type: "json" } } : {}
}

/** One call of a model. `warnings` are about the request. They come before the answer. */
interface AiSdkCall {
  readonly target: AiSdkTarget
  readonly request: ModelRequest
  readonly form: RequestForm
  readonly signal: AbortSignal
  readonly warnings: readonly string[]
}

/** Only a call that fails needs them. */
const loadErrors = late(() => import("./provider-errors.ts"))

/** Streams the parts of one answer, by the contract of `LanguageModel.stream`. */
async function* streamParts({ target, request, form, signal, warnings }: AiSdkCall): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  const reader = createPartReader(form.provider, target.model.modelId)
  let source: Awaited<ReturnType<typeof openSource>> | undefined
  try {
    for (const what of warnings) yield { type: "warning", message: `${target.id} ${what}` }
    source = await openSource(target.model, callOptions(request, form, signal), signal)
    // The page of a proxy has status 200 and no events. Providers read it as an empty stream.
    if (source.contentType.includes("text/html")) {
      throw (await loadErrors()).aiSdkError({ kind: "web-page", isRetryable: false, said: "a web page" }, target)
    }
    for (let next = await source.read(); !next.done; next = await source.read()) {
      const part = recordOf(next.value)
      if (part.type === "error") throw (await loadErrors()).errorPartError(part.error, target)
      // A loop instead of yield*, which costs three more microtasks per part.
      for (const read of reader.push(part)) yield read
    }
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal)
    if (!reader.finished()) throw (await loadErrors()).asModelError(thrown, target, source !== undefined)
    yield { type: "warning", message: "The connection broke after the answer was complete." }
  } finally {
    source?.close()
  }
  if (signal.aborted) throw abortedError(signal)
  const isEmpty = !reader.begun() && !reader.finished()
  if (isEmpty && source?.contentType.includes("application/json")) {
    throw (await loadErrors()).aiSdkError({ kind: "not-streamed", isRetryable: false, said: "a JSON document" }, target)
  }
  for (const part of reader.end()) yield part
}

/**
 * Calls `doStream`. The stream ends when its signal aborts, even if the provider ignores the signal. Throws `aborted` as soon as the
 * signal aborts; a stream that comes after that is cancelled.
 */
async function openSource(model: AiSdkLanguageModel, options: AiSdkCallOptions, signal: AbortSignal) {
  const { stream, response } = await unlessAborted(() => model.doStream(options), signal)
  const reader = stream.getReader()
  // This is not awaited, since some sources never finish cancelling.
  const close = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener("abort", close)
  const contentType = Object.entries(response?.headers ?? {}).find(([name]) => name.toLowerCase() === "content-type")?.[1]
  return {
    /** The content type of the HTTP answer, or `""` when the provider does not give it. */
    contentType: contentType ?? "",
    /** Returns the next part. After an abort there is none. */
    read: () => reader.read(),
    /** Cancels the stream and with it the connection. */
    close(): void {
      signal.removeEventListener("abort", close)
      close()
    },
  }
}

function unlessAborted(open: () => PromiseLike<AiSdkStreamResult>, signal: AbortSignal): Promise<AiSdkStreamResult> {
  // The executor catches a provider that throws before it returns a promise.
  const opening = new Promise<AiSdkStreamResult>((started) => started(open()))
  const opened = orAborted(opening, signal)
  const cancelLate = async ({ stream }: AiSdkStreamResult) => signal.aborted && stream.getReader().cancel()
  opening.then(cancelLate).catch(() => undefined)
  return opened
}
