import type { TokenCounter } from "../../core/ports.ts"
import type { Assembly } from "../../core/span.ts"

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

/** Options with every default filled in. */
export interface CacheRules {
  readonly minTokens: number
  readonly blockTokens: number
  readonly ttlMs: number
}

/** Fills the defaults in; explicit marks are not rounded to blocks. */
export function cacheRules({ breakpoints, minTokens = 1024, blockTokens = 128, ttlMs }: CacheOptions): CacheRules {
  return { minTokens, blockTokens: breakpoints === "explicit" ? 1 : blockTokens, ttlMs: ttlMs ?? Number.POSITIVE_INFINITY }
}
