import type { AssembleOptions } from "../../assemble/assemble.ts"
import type { Assembly } from "../../core/span.ts"
import type { Profile } from "../../profile/profile.ts"
import type { PromptStack } from "../../stack/prompt-stack.ts"
import { type CacheBreakpointsOption, cacheFormOf } from "./cache-form.ts"
import { keyOptions, marksOf } from "./call-options.ts"
import { countMarks } from "./count-marks.ts"
import { toPrompt } from "./prompt.ts"
import type { AiSdkModelName } from "./provider-model.ts"
import { mergeProviderOptions, type ProviderOptions } from "./provider-options.ts"
import { splitSystem } from "./split-system.ts"

/** What a middleware puts in front: a stack's layers as they are at each call, a profile's, or any assembly. */
export type LayerSource =
  | ({ readonly stack: PromptStack } & AssembleOptions)
  | ({ readonly profile: Profile } & AssembleOptions)
  | { readonly assemble: () => Assembly | PromiseLike<Assembly> }

/** Options of {@link promptstrataMiddleware} beside where the layers come from. */
export interface MiddlewareOptions {
  /** The version of the middleware interface to declare: `v4` for `ai` 7, `v3` for `ai` 6. Default `v4`. */
  readonly specificationVersion?: "v3" | "v4"
  /** Marks where the layers' stable prefixes end, for the provider's prompt cache. Default true. */
  readonly cacheBreakpoints?: CacheBreakpointsOption
}

/** A middleware of the AI SDK's provider interface, for `wrapLanguageModel`. */
export interface PromptstrataMiddleware<Version extends "v3" | "v4" = "v4"> {
  readonly specificationVersion: Version
  transformParams<Params extends CallParams>(options: {
    readonly params: Params
    readonly model: AiSdkModelName
  }): Promise<Params>
}

/** What a middleware reads of a call's parameters. */
export interface CallParams {
  prompt: { role: string }[]
  tools?: object[]
  providerOptions?: Record<string, Record<string, unknown>>
}

/**
 * Puts layers in front of whatever a model is asked: their system messages before the app's own, their other messages before
 * the app's conversation. With `stack` or `profile`, the layers are those of dialect `stack`, prompt `chat`, unless other
 * options of `assemble` are given.
 */
export function promptstrataMiddleware<Version extends "v3" | "v4" = "v4">(
  options: LayerSource & MiddlewareOptions & { readonly specificationVersion?: Version },
): PromptstrataMiddleware<Version> {
  const { specificationVersion = "v4" as Version, cacheBreakpoints = true } = options
  return {
    specificationVersion,
    async transformParams({ params, model }) {
      const assembly = await assemblyOf(options)
      const cacheForm = cacheFormOf(model, cacheBreakpoints)
      const providerOptions = (params.providerOptions ?? {}) as ProviderOptions
      const marks = marksOf({ assembly, messages: assembly.messages }, { cacheForm, providerOptions }, countMarks(params))
      const merged = mergeProviderOptions(keyOptions({ assembly }, { cacheForm }), providerOptions)
      return {
        ...params,
        prompt: inFront(toPrompt(assembly.messages, marks), params.prompt),
        ...(Object.keys(merged).length > 0 && { providerOptions: merged }),
      }
    },
  }
}

async function assemblyOf(source: LayerSource): Promise<Assembly> {
  if ("assemble" in source) return source.assemble()
  // Loaded with the first request: the adapter alone stays light.
  const { assemble } = await import("../../assemble/assemble.ts")
  const { stack, locale } = "stack" in source ? { stack: source.stack, locale: undefined } : await layersOf(source.profile)
  return assemble(stack, { dialect: "stack", prompt: "chat", ...(locale === undefined ? {} : { locale }), ...source })
}

async function layersOf(profile: Profile) {
  const { baseStack } = await import("../../agent/base-stack.ts")
  const { shippedDialect } = await import("../../dialect/shipped.ts")
  const dialect = shippedDialect("stack", profile.locale)
  return { stack: baseStack(profile, { dialect, skills: profile.skills, injections: [] }), locale: profile.locale }
}

function inFront<M extends { role: string }>(layers: readonly { role: string }[], app: readonly M[]): M[] {
  const ours = splitSystem(layers)
  const theirs = splitSystem(app)
  return [...ours.system, ...theirs.system, ...ours.rest, ...theirs.rest] as M[]
}
