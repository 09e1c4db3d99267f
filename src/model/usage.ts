/** Tokens as the provider reports them. Absent is absent, not zero. */
export interface Usage {
  readonly inputTokens?: number
  readonly inputCacheReadTokens?: number
  readonly inputCacheWriteTokens?: number
  readonly outputTokens?: number
  readonly reasoningTokens?: number
}

/** The sum, field by field; a field absent on both sides stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: number } = {}
  for (const key of usageKeys) {
    const left = a[key]
    const right = b[key]
    if (left !== undefined || right !== undefined) sum[key] = (left ?? 0) + (right ?? 0)
  }
  return sum
}

const usageKeys = ["inputTokens", "inputCacheReadTokens", "inputCacheWriteTokens", "outputTokens", "reasoningTokens"] as const
