import { costOf, type Prices, priceOf, type TokenPrice } from "../../../core/model/prices.ts"
import type { TokenCounter } from "../../../core/ports.ts"
import { automaticCache } from "../../../testing/cache-simulator/prefix-cache.ts"
import { countRequest, textTokens } from "../../../testing/cache-simulator/request-tokens.ts"
import { cacheRules } from "../../../testing/cache-simulator/simulate-cache.ts"
import type { Life, LivedDay, LivedRequest } from "./live.ts"

/** The tokens and the money of a day or of a whole life. */
export type Sums = ReturnType<typeof sumsOf>

/** A day with what it cost. */
export type MeasuredDay = LivedDay & { readonly sums: Sums }

/** A life with what it cost. */
export interface MeasuredLife extends Life {
  readonly name: string
  readonly measured: readonly MeasuredDay[]
  readonly total: Sums
}

export interface MeasureOptions {
  readonly name: string
  readonly counter: TokenCounter
  /** The prices of models by their ids. A file with one price is for all models. */
  readonly prices: Prices
}

/** The time for which the simulated cache keeps a beginning of a request. */
const ttlMs = 60 * 60_000

/** Adds to a life what its days cost. */
export function measure(life: Life, { name, counter, prices }: MeasureOptions): MeasuredLife {
  const { requests, days } = life
  const cached = cachedTokensOf(requests, counter)
  const only = Object.values(prices).length === 1 ? Object.values(prices)[0] : undefined
  const priceFor = (model: string) => priceOf(prices, model) ?? only
  const sum = (some: readonly LivedRequest[], turns: number) => sumsOf(some, { turns, cached, priceFor })
  const byDay = Map.groupBy(requests, ({ day }) => day)
  const measured = days.map((day) => ({ ...day, sums: sum(byDay.get(day.day) ?? [], day.turns) }))
  const turns = days.reduce((all, day) => all + day.turns, 0)
  return { ...life, name, measured, total: sum(requests, turns) }
}

/** The tokens that an automatic cache serves of each request of a turn. */
function cachedTokensOf(requests: readonly LivedRequest[], counter: TokenCounter): ReadonlyMap<LivedRequest, number> {
  const [cached, texts] = [new Map<LivedRequest, number>(), textTokens(counter)]
  let [cache, before] = [automaticCache(cacheRules({ counter, ttlMs }), texts), 0]
  for (const request of requests) {
    const { assembly, atMs, isBackground } = request
    if (assembly === undefined || isBackground) continue
    // After a longer pause a cache has forgotten everything.
    if (atMs - before > ttlMs) cache = automaticCache(cacheRules({ counter, ttlMs }), texts)
    before = atMs
    cached.set(request, cache.ask(countRequest(assembly, texts), atMs).cachedTokens)
  }
  return cached
}

interface SumOptions {
  readonly turns: number
  readonly cached: ReadonlyMap<LivedRequest, number>
  readonly priceFor: (model: string) => TokenPrice | undefined
}

function sumsOf(requests: readonly LivedRequest[], { turns, cached, priceFor }: SumOptions) {
  const [own, background] = [requests.filter((one) => !one.isBackground), requests.filter((one) => one.isBackground)]
  const tokens = (some: readonly LivedRequest[]) => some.reduce((sum, { promptTokens }) => sum + promptTokens, 0)
  const moneyOf = (request: LivedRequest): number | undefined => {
    const { model, promptTokens, outputTokens } = request
    return costOf({ inputTokens: promptTokens, inputCacheReadTokens: cached.get(request) ?? 0, outputTokens }, priceFor(model))
  }
  const money = requests.map(moneyOf)
  return {
    turns,
    /** Tokens of the largest request of a turn. */
    largestPrompt: Math.max(0, ...own.map(({ promptTokens }) => promptTokens)),
    /** Tokens of all requests of turns, and how many of them a provider's cache serves. */
    promptTokens: tokens(own),
    cachedTokens: own.reduce((sum, request) => sum + (cached.get(request) ?? 0), 0),
    backgroundCalls: background.length,
    backgroundTokens: tokens(background),
    outputTokens: requests.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    /** Undefined without prices. */
    money: money.includes(undefined) ? undefined : money.reduce<number>((sum, one = 0) => sum + one, 0),
  }
}
