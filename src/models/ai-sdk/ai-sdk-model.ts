import { PromptStrataError } from "../../core/errors.ts"
import type { LanguageModel, ModelCapabilities, ModelRequest } from "../../model/language-model.ts"
import { recordOf } from "../json-access.ts"
import {
  type CacheBreakpointsOption,
  type CacheForm,
  cacheFormOf,
  cacheKeyOptions,
  cacheMarks,
  hasPrefixes,
} from "./cache-breakpoints.ts"
import { toPrompt } from "./prompt.ts"
import { type AiSdkCallOptions, type AiSdkLanguageModel, mergeProviderOptions, type ProviderOptions } from "./provider-model.ts"
import { streamParts } from "./stream.ts"

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
 * the package `ai` is not needed. The turn does the retries and runs the tools. Throws `usage` for any other value.
 */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): LanguageModel {
  requireModel(model)
  const id = options.id ?? `${model.provider}:${model.modelId}`
  const capabilities = { developerRole: false, tools: true, ...options.capabilities }
  const { cacheBreakpoints = true, headers = {}, providerOptions = {}, jsonMode = false } = options
  const cacheForm = cacheFormOf(model, cacheBreakpoints)
  const form = { tools: capabilities.tools, jsonMode, headers, providerOptions, cacheForm }
  const target = { id, model, headers }
  const warningsFor = cacheBreakpoints === false || cacheForm !== undefined ? () => [] : createCacheWarnings(id)
  return {
    id,
    capabilities,
    stream: (request, { signal }) =>
      streamParts({ target, options: () => callOptions(request, form, signal), signal, warnings: warningsFor(request) }),
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

/** Warns once per model, at the first request with a prefix to cache, that the provider gets no cache breakpoints. */
function createCacheWarnings(id: string): (request: ModelRequest) => readonly string[] {
  let warned = false
  return ({ assembly }) => {
    if (warned || assembly === undefined || !hasPrefixes(assembly)) return []
    warned = true
    return [
      `${id} has no form of cache breakpoints that is known here, so none are sent. Set \`cacheBreakpoints\` to "anthropic" or "openai" if it takes theirs, or to false.`,
    ]
  }
}

/** Settings of the model that shape every request. */
interface RequestForm {
  readonly tools: boolean
  readonly jsonMode: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly providerOptions: ProviderOptions
  readonly cacheForm: CacheForm | undefined
}

/** Makes the call options of the provider interface. Tools and formats that the model does not support are left out. */
function callOptions(request: ModelRequest, form: RequestForm, abortSignal: AbortSignal): AiSdkCallOptions {
  const tools = form.tools ? (request.tools ?? []) : []
  const providerOptions = mergeProviderOptions(cacheKeyOptions(request.assembly, form.cacheForm), form.providerOptions)
  return {
    prompt: toPrompt(request.messages, cacheMarks(request, form)),
    abortSignal,
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(form.jsonMode && request.responseFormat === "json" && { responseFormat: { type: "json" as const } }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({ type: "function" as const, name, description, inputSchema })),
    }),
    ...(Object.keys(form.headers).length > 0 && { headers: { ...form.headers } }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}
