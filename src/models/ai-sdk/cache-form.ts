import type { AiSdkModelName } from "./provider-model.ts"
import type { ProviderOptions } from "./provider-options.ts"

/**
 * `true`: in the form of the model's provider, where it is known. A provider's name: in its form, for a model that is reached
 * under another name. `false`: none.
 */
export type CacheBreakpointsOption = boolean | "anthropic" | "openai"

/** How a provider is told what to cache. */
export interface CacheForm {
  /** Stands on the last part of a prefix; absent for a model that finds its prefixes without being told. */
  readonly marker?: ProviderOptions
  /** Where the request names the prefix that it shares with others, so that they meet the same cache. */
  readonly keyed: boolean
  /** False where a mark on an assistant message would be dropped. */
  readonly marksAssistant: boolean
}

/** The cache form of a model; undefined where its provider takes none, or none that is known here. */
export function cacheFormOf(model: AiSdkModelName, option: CacheBreakpointsOption): CacheForm | undefined {
  if (option === "anthropic" || (option === true && isAnthropic(model))) return anthropicForm
  if (option === "openai" || (option === true && isOpenai(model))) return openaiForm(model)
  return undefined
}

const anthropicForm: CacheForm = {
  marker: { anthropic: { cacheControl: { type: "ephemeral" } } },
  keyed: false,
  marksAssistant: true,
}

function openaiForm({ provider, modelId }: AiSdkModelName): CacheForm {
  return {
    ...(takesBreakpoints(modelId) && { marker: { openai: { promptCacheBreakpoint: { mode: "explicit" } } } }),
    keyed: true,
    marksAssistant: !provider.endsWith(".responses"),
  }
}

/** Anthropic itself, Claude on another cloud by the same protocol (`vertex.anthropic.messages`), and the AI gateway. */
function isAnthropic({ provider, modelId }: AiSdkModelName): boolean {
  return provider.split(".").includes("anthropic") || (provider === "gateway" && modelId.startsWith("anthropic/"))
}

function isOpenai({ provider }: AiSdkModelName): boolean {
  return provider === "openai.chat" || provider === "openai.responses"
}

/** GPT-5.6 and later take explicit breakpoints; earlier ones refuse the field and cache their prefixes by themselves. */
function takesBreakpoints(modelId: string): boolean {
  const [, major = "0", minor = "0"] = /^gpt-(\d{1,3})(?:\.(\d{1,3}))?(?![\d.])/.exec(modelId) ?? []
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6)
}
