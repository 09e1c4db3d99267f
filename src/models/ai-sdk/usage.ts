import type { Usage } from "../../model/usage.ts"
import { countOf, recordOf } from "../openai/json-access.ts"

/** A usage report of specification v2 (flat) or v3 and v4 (nested) as data, or `undefined` where it says nothing. */
export function readUsage(wire: unknown): Usage | undefined {
  const report = recordOf(wire)
  const input = recordOf(report.inputTokens)
  const output = recordOf(report.outputTokens)
  const counts = {
    inputTokens: countOf(report.inputTokens) ?? countOf(input.total),
    inputCacheReadTokens: countOf(report.cachedInputTokens) ?? countOf(input.cacheRead),
    inputCacheWriteTokens: countOf(input.cacheWrite),
    outputTokens: countOf(report.outputTokens) ?? countOf(output.total),
    reasoningTokens: countOf(report.reasoningTokens) ?? countOf(output.reasoning),
  }
  const said = Object.entries(counts).filter(([, count]) => count !== undefined)
  return said.length === 0 ? undefined : (Object.fromEntries(said) as Usage)
}
