import type { ModelRequest } from "../../model/language-model.ts"
import { cacheKeyOf, chooseBreakpoints, hasPrefixes, maxBreakpoints } from "./cache-breakpoints.ts"
import { type CacheBreakpointsOption, type CacheForm, cacheFormOf } from "./cache-form.ts"
import { type PromptMarks, toPrompt } from "./prompt.ts"
import type { AiSdkCallOptions, AiSdkModelName } from "./provider-model.ts"
import { mergeProviderOptions, type ProviderOptions } from "./provider-options.ts"

/** What decides the form of a request beside the request itself. */
export interface RequestForm {
  readonly tools: boolean
  readonly jsonMode: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly providerOptions: ProviderOptions
  readonly cacheForm: CacheForm | undefined
}

/** The form of every request to a model. */
export function requestFormOf(
  model: AiSdkModelName,
  options: {
    readonly tools: boolean
    readonly jsonMode?: boolean
    readonly headers?: Readonly<Record<string, string>>
    readonly providerOptions?: ProviderOptions
    readonly cacheBreakpoints?: CacheBreakpointsOption
  },
): RequestForm {
  const { tools, jsonMode = false, headers = {}, providerOptions = {}, cacheBreakpoints = true } = options
  return { tools, jsonMode, headers, providerOptions, cacheForm: cacheFormOf(model, cacheBreakpoints) }
}

/** A request as the call options of the provider interface. What the model cannot take is not sent. */
export function callOptions(request: ModelRequest, form: RequestForm, abortSignal: AbortSignal): AiSdkCallOptions {
  const tools = form.tools ? (request.tools ?? []) : []
  const providerOptions = mergeProviderOptions(keyOptions(request, form), form.providerOptions)
  return {
    prompt: toPrompt(request.messages, marksOf(request, form)),
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

/** True when the request has prefixes worth caching and the provider knows no way to be told of them. */
export function dropsBreakpoints({ assembly }: ModelRequest, { cacheForm }: RequestForm): boolean {
  return cacheForm === undefined && assembly !== undefined && hasPrefixes(assembly)
}

/** Where the breakpoints of a request go, if there are any. */
export function marksOf(
  { assembly, messages }: Pick<ModelRequest, "assembly" | "messages">,
  { cacheForm, providerOptions }: Pick<RequestForm, "cacheForm" | "providerOptions">,
  used = 0,
): PromptMarks | undefined {
  if (cacheForm?.marker === undefined || assembly === undefined) return undefined
  // Anthropic's request-wide setting takes one of the four.
  const max = maxBreakpoints - used - (providerOptions.anthropic?.cacheControl === undefined ? 0 : 1)
  const breakpoints = chooseBreakpoints(assembly, messages, { form: cacheForm, max })
  return breakpoints.length === 0 ? undefined : { breakpoints, marker: cacheForm.marker }
}

/** The request-wide options of a provider that wants to hear which requests share a prefix. */
export function keyOptions(
  { assembly }: Pick<ModelRequest, "assembly">,
  { cacheForm }: Pick<RequestForm, "cacheForm">,
): ProviderOptions {
  const promptCacheKey = cacheForm?.keyed && assembly ? cacheKeyOf(assembly) : undefined
  return promptCacheKey === undefined ? {} : { openai: { promptCacheKey } }
}
