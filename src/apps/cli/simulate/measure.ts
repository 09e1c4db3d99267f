import { costOf, type Prices, priceOf, type TokenPrice } from "../../../core/model/prices.ts"
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

/** Adds to a life what its days cost, by the prices of models by their ids. One price is for all models. */
export function measure(life: Life, prices: Prices): MeasuredLife {
  const { requests, days } = life
  const only = Object.values(prices).length === 1 ? Object.values(prices)[0] : undefined
  const priceFor = (model: string) => priceOf(prices, model) ?? only
  const byDay = Map.groupBy(requests, ({ day }) => day)
  const measured = days.map((day) => ({ ...day, sums: sumsOf(byDay.get(day.day) ?? [], { turns: day.turns, priceFor }) }))
  const turns = days.reduce((all, day) => all + day.turns, 0)
  return { ...life, name: life.profile.name, measured, total: sumsOf(requests, { turns, priceFor }) }
}

type PriceFor = (model: string) => TokenPrice | undefined

function sumsOf(requests: readonly LivedRequest[], { turns, priceFor }: { readonly turns: number; readonly priceFor: PriceFor }) {
  const [own, background] = [requests.filter((one) => !one.isBackground), requests.filter((one) => one.isBackground)]
  const tokens = (some: readonly LivedRequest[]) => some.reduce((sum, { promptTokens }) => sum + promptTokens, 0)
  const money = requests.map(({ model, promptTokens, cachedTokens, outputTokens }) =>
    costOf({ inputTokens: promptTokens, inputCacheReadTokens: cachedTokens, outputTokens }, priceFor(model)),
  )
  return {
    turns,
    /** Tokens of the largest request of a turn. */
    largestPrompt: Math.max(0, ...own.map(({ promptTokens }) => promptTokens)),
    /** Tokens of all requests of turns, and how many of them a provider's cache serves. */
    promptTokens: tokens(own),
    cachedTokens: own.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0),
    backgroundCalls: background.length,
    backgroundTokens: tokens(background),
    outputTokens: requests.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    /** Undefined without prices. */
    money: money.includes(undefined) ? undefined : money.reduce<number>((sum, one = 0) => sum + one, 0),
  }
}
