import type { TokenCounter } from "../../core/ports.ts"
import type { Assembly } from "../../core/span.ts"
import { type AssemblyDifference, diffAssemblies } from "../../trace/diff-assemblies.ts"
import { bestOrderTokens } from "./best-order.ts"
import { automaticCache, type CacheAnswer, type CacheRules, explicitCache } from "./prefix-cache.ts"
import { type CountedRequest, countRequest, textTokens } from "./request-tokens.ts"

/** What a cache does for one request. */
export interface CacheRow {
  readonly turn: number
  readonly promptTokens: number
  readonly cachedTokens: number
  /** Of the prompt, 0 to 1. */
  readonly share: number
  /** Tokens written into an explicit cache. */
  readonly writtenTokens: number
  /**
   * What could have been served after the request before this one if the same layers stood in the best order: what is stable
   * first, then history, then the turn. In the cache's whole blocks.
   */
  readonly possibleTokens: number
  /**
   * Why the rest was not served. `new`: it was never sent. `changed`: `difference` names the span from which on it stands
   * differently. `first`: nothing was sent before. `short`: what is shared is less than the cache keeps. `expired`: it was too long ago.
   */
  readonly rest: "first" | "short" | "expired" | "changed" | "new"
  /** Against the earlier request that it has most in common with. */
  readonly difference?: AssemblyDifference
  /** In the currency of the prices, where there are any. */
  readonly cost?: number
}

/** A conversation as a prefix cache sees it. */
export interface CacheReport {
  readonly rows: readonly CacheRow[]
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly possibleTokens: number
  /** Of all prompt tokens, 0 to 1. */
  readonly share: number
  /** False when the counter estimates, or cannot tell where tokens part. */
  readonly exact: boolean
  readonly cost?: number
  /** What the same would cost without a cache. */
  readonly costUncached?: number
}

/**
 * Replays a conversation's requests and says what a provider's prefix cache would have served of each, what broke it, and
 * what it costs. Deterministic. Equal characters are not yet equal tokens: where two texts part inside one of the tokenizer's
 * pieces, that piece counts as not served.
 */
export function simulateCache(requests: readonly (Assembly | CacheRequest)[], options: CacheOptions): CacheReport {
  const { counter, prices } = options
  const rules = cacheRules(options)
  const texts = textTokens(counter)
  const cache = options.breakpoints === "explicit" ? explicitCache(rules, texts) : automaticCache(rules, texts)
  let before: CountedRequest | undefined
  const sent = requests.map((request, index) => ({
    atMs: 0,
    turn: index + 1,
    ...("assembly" in request ? request : { assembly: request }),
  }))
  const rows = sent.map(({ assembly, turn, atMs }): CacheRow => {
    const request = countRequest(assembly, texts)
    const answer = cache.ask(request, atMs)
    const possible = before ? Math.floor(bestOrderTokens(before, request) / rules.blockTokens) * rules.blockTokens : 0
    before = request
    const { cachedTokens, writtenTokens, nearest } = answer
    const earlier = nearest === undefined ? undefined : sent[nearest]?.assembly
    const difference = earlier ? diffAssemblies(earlier, assembly) : undefined
    return {
      turn,
      promptTokens: request.promptTokens,
      cachedTokens,
      writtenTokens,
      share: shareOf(cachedTokens, request.promptTokens),
      possibleTokens: Math.max(cachedTokens, possible < rules.minTokens ? 0 : possible),
      rest: restOf(answer, difference),
      ...(difference ? { difference } : {}),
      ...(prices ? { cost: costOf(request, answer, prices) } : {}),
    }
  })
  return { ...totals(rows), exact: counter.exact && counter.pieces !== undefined, ...(prices ? costs(rows, prices) : {}) }
}

function restOf({ cachedTokens, expired }: CacheAnswer, difference: AssemblyDifference | undefined): CacheRow["rest"] {
  if (!difference) return "first"
  if (expired) return "expired"
  if (difference.outcome === "changed") return "changed"
  return cachedTokens === 0 ? "short" : "new"
}

function totals(rows: readonly CacheRow[]) {
  const sum = (name: "promptTokens" | "cachedTokens" | "possibleTokens") => rows.reduce((all, row) => all + row[name], 0)
  const [promptTokens, cachedTokens] = [sum("promptTokens"), sum("cachedTokens")]
  return { rows, promptTokens, cachedTokens, possibleTokens: sum("possibleTokens"), share: shareOf(cachedTokens, promptTokens) }
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

function costOf({ promptTokens }: CountedRequest, { cachedTokens, writtenTokens }: CacheAnswer, prices: CachePrices): number {
  const { input, cacheRead, cacheWrite = input } = prices
  const plain = promptTokens - cachedTokens - writtenTokens
  return (plain * input + cachedTokens * cacheRead + writtenTokens * cacheWrite) / 1_000_000
}

function costs(rows: readonly CacheRow[], { input }: CachePrices) {
  const cost = rows.reduce((sum, row) => sum + (row.cost ?? 0), 0)
  return { cost, costUncached: (rows.reduce((sum, row) => sum + row.promptTokens, 0) * input) / 1_000_000 }
}

/** What a million tokens cost, in any currency. What the model says is not counted. */
export interface CachePrices {
  readonly input: number
  readonly cacheRead: number
  /** Default: as `input`. */
  readonly cacheWrite?: number
}

/** The cache that is played. */
export interface CacheOptions {
  /** Whose tokens; one with `pieces`, such as `tiktokenCounter`'s, finds where tokens part exactly. */
  readonly counter: TokenCounter
  /**
   * `automatic`: the provider finds the longest beginning that it has seen, in whole blocks. `explicit`: it keeps what ends
   * at a mark, and a request is marked where the assembly's prefixes end, at most four. Default `automatic`.
   */
  readonly breakpoints?: "automatic" | "explicit"
  /** Shorter beginnings are not kept. Default 1,024. */
  readonly minTokens?: number
  /** An automatic cache serves multiples of so many tokens. Default 128. */
  readonly blockTokens?: number
  /** How long after its last use something is kept; needs the requests' `atMs`. Default: for ever. */
  readonly ttlMs?: number
  readonly prices?: CachePrices
}

/** One request of a conversation, in the order sent. */
export interface CacheRequest {
  readonly assembly: Assembly
  /** Whose turn it belongs to, for the report. Default: each request is a turn of its own. */
  readonly turn?: number
  /** When it was sent. Default 0. */
  readonly atMs?: number
}

/** Fills the defaults in; explicit marks are not rounded to blocks. */
function cacheRules({ breakpoints, minTokens = 1024, blockTokens = 128, ttlMs }: CacheOptions): CacheRules {
  return { minTokens, blockTokens: breakpoints === "explicit" ? 1 : blockTokens, ttlMs: ttlMs ?? Number.POSITIVE_INFINITY }
}
