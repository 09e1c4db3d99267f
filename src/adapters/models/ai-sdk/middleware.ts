import { checkOptions, checkType } from "../../../core/check-options.ts"
import type { Assembly } from "../../../core/span.ts"
import { baseStack } from "../../../loop/agent/base-stack.ts"
import type { Profile } from "../../../profile/profile.ts"
import type { AssembleOptions } from "../../../prompt/assemble/assemble.ts"
import { assemble } from "../../../prompt/assemble/assemble.ts"
import { createAssembler } from "../../../prompt/assemble/assembler.ts"
import { shippedDialect } from "../../../prompt/dialect/shipped.ts"
import type { PromptStack } from "../../../prompt/stack/prompt-stack.ts"
import { type CacheBreakpointsOption, cacheFormOf, cacheKeyOptions, cacheMarks, countMarks } from "./cache-breakpoints.ts"
import { splitSystem, toPrompt } from "./prompt.ts"
import { type AiSdkModelName, mergeProviderOptions, type ProviderOptions } from "./provider-model.ts"

/** The layers that a middleware adds: those of a stack at each call, those of a profile, or any assembly. */
export type LayerSource =
  | ({ readonly stack: PromptStack } & AssembleOptions)
  | ({ readonly profile: Profile } & AssembleOptions)
  | { readonly assemble: () => Assembly | PromiseLike<Assembly> }

/** Options of {@link promptstrataMiddleware}, besides its layers. */
export interface MiddlewareOptions {
  /** The version of the middleware interface: `v4` for `ai` 7, `v3` for `ai` 6. Default `v4`. */
  readonly specificationVersion?: "v3" | "v4"
  /** Marks the ends of the layers' stable prefixes for the provider's prompt cache. Default true. */
  readonly cacheBreakpoints?: CacheBreakpointsOption
}

const ownOptions = "specificationVersion cacheBreakpoints"
const assembleOptions = "dialect locale prompt turn roles counter budgetTokens cut history tools assembler"

/** A middleware of the AI SDK's provider interface, for `wrapLanguageModel`. */
export interface PromptstrataMiddleware<Version extends "v3" | "v4" = "v4"> {
  readonly specificationVersion: Version
  transformParams<Params extends CallParams>(options: {
    readonly params: Params
    readonly model: AiSdkModelName
  }): Promise<Params>
}

/** The part of a call's parameters that a middleware reads. */
interface CallParams {
  prompt: { role: string }[]
  tools?: object[]
  providerOptions?: Record<string, Record<string, unknown>>
}

/**
 * Makes a middleware that adds layers to every request: their system messages before the app's own, and their other messages
 * before the app's conversation. With `stack` or `profile`, the layers are assembled with dialect `stack` and prompt `chat`,
 * unless other options of `assemble` are given. Throws `usage` for an unknown option.
 */
export function promptstrataMiddleware<Version extends "v3" | "v4" = "v4">(
  options: LayerSource & MiddlewareOptions & { readonly specificationVersion?: Version },
): PromptstrataMiddleware<Version> {
  checkType("the options of promptstrataMiddleware", options, "object")
  if ("assemble" in options) checkOptions("promptstrataMiddleware", options, `${ownOptions} assemble`)
  else checkOptions("promptstrataMiddleware", options, `${ownOptions} stack profile ${assembleOptions}`)
  const { specificationVersion = "v4" as Version, cacheBreakpoints = true, ...layers } = options
  let compose: (() => Assembly | PromiseLike<Assembly>) | undefined
  return {
    specificationVersion,
    async transformParams({ params, model }) {
      compose ??= assemblyOf(layers)
      const assembly = await compose()
      const cacheForm = cacheFormOf(model, cacheBreakpoints)
      const providerOptions = (params.providerOptions ?? {}) as ProviderOptions
      const marks = cacheMarks({ assembly, messages: assembly.messages }, { cacheForm, providerOptions }, countMarks(params))
      const merged = mergeProviderOptions(cacheKeyOptions(assembly, cacheForm), providerOptions)
      return {
        ...params,
        prompt: joinPrompts(toPrompt(assembly.messages, { marks, tagged: specificationVersion === "v4" }), params.prompt),
        ...(Object.keys(merged).length > 0 && { providerOptions: merged }),
      }
    },
  }
}

/** Returns a function that assembles the layers as they are then. It remembers its last requests, unless the caller holds an assembler. */
function assemblyOf(source: LayerSource): () => Assembly | PromiseLike<Assembly> {
  if ("assemble" in source) return () => source.assemble()
  const defaults = { dialect: "stack", prompt: "chat", assembler: createAssembler() }
  if ("stack" in source) {
    const { stack, ...options } = source
    return () => assemble(stack, { ...defaults, ...options })
  }
  const { profile, ...options } = source
  const dialect = shippedDialect("stack", profile.locale)
  const stack = baseStack(profile, { dialect, skills: profile.skills, injections: [] })
  return () => assemble(stack, { ...defaults, locale: profile.locale, ...options })
}

function joinPrompts<M extends { role: string }>(layers: readonly { role: string }[], app: readonly M[]): M[] {
  const ours = splitSystem(layers)
  const theirs = splitSystem(app)
  return [...ours.system, ...theirs.system, ...ours.rest, ...theirs.rest] as M[]
}
