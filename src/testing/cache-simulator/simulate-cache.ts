import { checkMemberTypes, checkOptions, checkType } from "../../core/check-options.ts"
import type { TokenCounter } from "../../core/ports.ts"
import type { Assembly, Span } from "../../core/span.ts"
import { type AssemblyDifference, diffAssemblies } from "../../trace/diff-assemblies.ts"
import { automaticCache, type CacheAnswer, type CacheRules, explicitCache } from "./prefix-cache.ts"
import { type CountedRequest, countRequest, textTokens } from "./request-tokens.ts"

/** The work of a cache for one request. */
export interface CacheRow {
  readonly turn: number
  readonly promptTokens: number
  readonly cachedTokens: number
  /** Share of the prompt that was cached, 0 to 1. */
  readonly share: number
  /** Tokens written into an explicit cache. */
  readonly writtenTokens: number
  /**
   * Tokens that the cache could have served if the same layers stood in the best order: stable layers first, then history,
   * then the turn. Counted in the cache's whole blocks.
   */
  readonly possibleTokens: number
  /**
   * The reason why the rest was not served. `new`: it was never sent before. `changed`: `difference` names the first span that
   * differs. `first`: this is the first request. `short`: the common beginning is shorter than the cache keeps. `expired`: the
   * earlier request was too long ago.
   */
  readonly rest: "first" | "short" | "expired" | "changed" | "new"
  /** The difference from the earlier request that has most in common with this one. */
  readonly difference?: AssemblyDifference | undefined
  /** In the currency of the prices; absent without prices. */
  readonly cost?: number | undefined
}

/** A conversation as a prefix cache sees it. */
export interface CacheReport {
  readonly rows: readonly CacheRow[]
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly possibleTokens: number
  /** Of all prompt tokens, 0 to 1. */
  readonly share: number
  /** False when the counter estimates, or has no `pieces`. */
  readonly exact: boolean
  readonly cost?: number
  /** The cost of the same requests without a cache. */
  readonly costUncached?: number
}

/**
 * Replays a conversation's requests against a provider's prefix cache. Reports how much of each request the cache serves, what
 * broke it, and the cost. Deterministic. Two texts with a common beginning may have fewer tokens in common: if they begin to
 * differ inside one of the tokenizer's pieces, that piece counts as not served.
 */
export function simulateCache(requests: readonly (Assembly | CacheRequest)[], options: CacheOptions): CacheReport {
  checkType("the requests of simulateCache", requests, "objects")
  checkOptions("simulateCache", options, "counter breakpoints minTokens blockTokens ttlMs prices")
  const { counter, prices } = options
  checkMemberTypes("the counter of simulateCache", counter, "count:function")
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
      difference,
      cost: prices && costOf(request, answer, prices),
    }
  })
  return { ...totals(rows), exact: counter.exact && counter.pieces !== undefined, ...(prices && costs(rows, prices)) }
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

/** The price of a million tokens, in any currency. Only prompt tokens are counted. */
export interface CachePrices {
  readonly input: number
  readonly cacheRead: number
  /** Default: as `input`. */
  readonly cacheWrite?: number
}

/** Settings of {@link simulateCache}. */
export interface CacheOptions {
  /** Counts the tokens. A counter with `pieces`, such as `tiktokenCounter`'s, gives exact results. */
  readonly counter: TokenCounter
  /**
   * `automatic`: the provider serves the longest beginning that it has seen, in whole blocks. `explicit`: it keeps what ends
   * at a mark. A request is marked where the assembly's prefixes end, at most four times. Default `automatic`.
   */
  readonly breakpoints?: "automatic" | "explicit"
  /** Shorter beginnings are not kept. Default 1,024. */
  readonly minTokens?: number
  /** An automatic cache serves multiples of this many tokens. Default 128. */
  readonly blockTokens?: number
  /** How long an entry is kept after its last use. Needs the requests' `atMs`. Default: for ever. */
  readonly ttlMs?: number
  readonly prices?: CachePrices
}

/** One request of a conversation. */
export interface CacheRequest {
  readonly assembly: Assembly
  /** The number of its turn, for the report. Default: each request is a turn of its own. */
  readonly turn?: number
  /** When it was sent. Default 0. */
  readonly atMs?: number
}

/** Fills in the defaults. Explicit marks are not rounded to blocks. */
export function cacheRules({ breakpoints, minTokens = 1024, blockTokens = 128, ttlMs }: CacheOptions): CacheRules {
  return { minTokens, blockTokens: breakpoints === "explicit" ? 1 : blockTokens, ttlMs: ttlMs ?? Number.POSITIVE_INFINITY }
}

/**
 * Tokens of `next` that a cache could serve after `previous` if the layers stood in the best order: stable layers, then the
 * part of history that continues the earlier one, then what both turns have in common. A span counts whole, with the overhead
 * of its message, so no real order serves more.
 */
function bestOrderTokens(previous: CountedRequest, next: CountedRequest): number {
  const [before, after] = [ordered(previous), ordered(next)]
  const asked = new Set(before.ofTurn.map(({ text }) => text))
  const shared: Span[] = []
  let inOrder = true
  for (const [index, span] of after.lasting.entries()) {
    inOrder &&= index < before.lasting.length && before.lasting[index]?.text === span.text
    // The last turn's question is history now. The best order would have put it right after the rest of history.
    if (!inOrder && !(index >= before.lasting.length && asked.has(span.text))) break
    shared.push(span)
  }
  if (shared.length === after.lasting.length) shared.push(...after.ofTurn.filter(({ text }) => asked.has(text)))
  return tokensOf(shared, next)
}

const lasting = ["global", "session", "conversation"] as const

/** A request's spans in the best order: the most stable come first, and spans of one stability keep their order. */
function ordered({ assembly: { spans } }: CountedRequest) {
  return {
    lasting: lasting.flatMap((stability) => spans.filter((span) => span.stability === stability)),
    ofTurn: spans.filter(({ stability }) => stability === "turn"),
  }
}

/** Scales the spans' own counts to those of this simulation's counter, which may be another one. */
function tokensOf(spans: readonly Span[], { assembly, tokensBefore, contentTokens, leadTokens }: CountedRequest): number {
  const whole = new Map<number, number>()
  for (const { message, tokens } of assembly.spans) whole.set(message, (whole.get(message) ?? 0) + tokens)
  let tokens = leadTokens
  const opened = new Set<number>()
  for (const span of spans) {
    const content = contentTokens[span.message] ?? 0
    tokens += (content * span.tokens) / Math.max(1, whole.get(span.message) ?? 1)
    if (!opened.has(span.message)) tokens += (tokensBefore[span.message + 1] ?? 0) - (tokensBefore[span.message] ?? 0) - content
    opened.add(span.message)
  }
  return tokens
}
