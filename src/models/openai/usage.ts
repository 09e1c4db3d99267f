import type { Usage } from "../../model/usage.ts"
import { countOf, recordOf } from "./json-access.ts"

/** A usage report as data, or `undefined` where there is none. What the server does not say stays absent. */
export function readUsage(wire: unknown): Usage | undefined {
  const report = recordOf(wire)
  const input = recordOf(report.prompt_tokens_details)
  const output = recordOf(report.completion_tokens_details)
  const counts = {
    inputTokens: countOf(report.prompt_tokens),
    // DeepSeek and Moonshot once had fields of their own for what came out of the cache.
    inputCacheReadTokens:
      countOf(input.cached_tokens) ?? countOf(report.prompt_cache_hit_tokens) ?? countOf(report.cached_tokens),
    inputCacheWriteTokens: countOf(input.cache_write_tokens),
    outputTokens: countOf(report.completion_tokens),
    reasoningTokens: countOf(output.reasoning_tokens),
  }
  const said = Object.entries(counts).filter(([, count]) => count !== undefined)
  return said.length === 0 ? undefined : (Object.fromEntries(said) as Usage)
}
