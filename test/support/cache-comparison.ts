import type { TokenCounter } from "../../src/core/ports.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { shippedDialectNames } from "../../src/prompt/dialect/shipped.ts"
import { type CacheReport, simulateCache } from "../../src/testing/index.ts"
import { cacheScenario } from "./cache-scenario.ts"

/** A dialect's conversation as both kinds of cache see it. */
export interface ComparedDialect {
  readonly dialect: string
  readonly lowMark: number
  readonly automatic: CacheReport
  readonly explicit: CacheReport
}

/** The low mark with which the scenario fills its budget. */
export const fullLowMark = 30

/** Relative to a plain token of the prompt; what providers of each kind ask today. */
export const cachePrices = {
  automatic: { input: 1, cacheRead: 0.1 },
  explicit: { input: 1, cacheRead: 0.1, cacheWrite: 1.25 },
} as const

/** The scenario in every shipped dialect, and in `layered` also with the marks that a profile has by default. */
export function compareDialects(counter: TokenCounter): ComparedDialect[] {
  const cases = [
    ...shippedDialectNames().map((dialect) => ({ dialect, lowMark: fullLowMark })),
    { dialect: "layered", lowMark: resolveProfile().history.contextCount },
  ]
  return cases.map(({ dialect, lowMark }) => {
    const requests = cacheScenario(dialect, counter, lowMark)
    const play = (breakpoints: "automatic" | "explicit") =>
      simulateCache(requests, { counter, breakpoints, prices: cachePrices[breakpoints] })
    return { dialect, lowMark, automatic: play("automatic"), explicit: play("explicit") }
  })
}

/** A comparison as rows of a table. */
export function comparisonRows(compared: readonly ComparedDialect[]): Record<string, string>[] {
  return compared.map(({ dialect, lowMark, automatic, explicit }) => ({
    dialect,
    "history, messages": `${lowMark}–${2 * lowMark}`,
    "tokens a request": String(Math.round(automatic.promptTokens / automatic.rows.length)),
    "automatic: served": percent(automatic.share),
    "automatic: of the possible": percent(ofPossible(automatic)),
    "automatic: price": percent((automatic.cost ?? 0) / (automatic.costUncached ?? 1)),
    "explicit: served": percent(explicit.share),
    "explicit: of the possible": percent(ofPossible(explicit)),
    "explicit: price": percent((explicit.cost ?? 0) / (explicit.costUncached ?? 1)),
    "first difference of two turns": mostFrequentChange(automatic),
  }))
}

/** The share of what the best order of the same layers could have been served. */
export function ofPossible({ cachedTokens, possibleTokens }: CacheReport): number {
  return cachedTokens / Math.max(1, possibleTokens)
}

function mostFrequentChange({ rows }: CacheReport): string {
  const counts = new Map<string, number>()
  for (const { rest, difference } of rows) {
    if (rest !== "changed" || !difference?.span) continue
    const { key, source } = difference.span
    const name = key === "" ? `frame at ${source?.file}:${source?.line}` : key
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "nothing"
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
