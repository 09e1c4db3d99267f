import type { ModelCapabilities } from "../../model/language-model.ts"
import type { CacheBreakpointsOption } from "./cache-form.ts"
import type { ProviderOptions } from "./provider-options.ts"

/** Options of `aiSdkModel`. */
export interface AiSdkModelOptions {
  /** Shown in traces. Default: provider and model, such as `openai.responses:gpt-5-mini`. */
  readonly id?: string
  /** Default: native tools, which the provider interface includes, and no developer role, which it does not know. */
  readonly capabilities?: Partial<ModelCapabilities>
  /** Sent with every request. Values count as secrets: they never appear in an error. */
  readonly headers?: Readonly<Record<string, string>>
  /** The provider's own options, sent with every request; they win over what cache breakpoints would set. */
  readonly providerOptions?: ProviderOptions
  /** Asks for JSON with requests for it. Default false: without a schema some providers refuse or ignore that. */
  readonly jsonMode?: boolean
  /** Marks where the assembly's stable prefixes end, for the provider's prompt cache. Default true. */
  readonly cacheBreakpoints?: CacheBreakpointsOption
}
