import { PromptStrataError } from "../errors.ts"
import { isRecord } from "../json-access.ts"
import type { Usage } from "./language-model.ts"

/** The prices of a million tokens, in US dollars. */
export interface TokenPrice {
  readonly input: number
  readonly output: number
  /** Input that the provider's cache served, and that it wrote there. Default: the price of input. */
  readonly cacheRead?: number
  readonly cacheWrite?: number
  /** The month or day for which the price was true: `2026-11`. */
  readonly asOf?: string
}

/** Prices of models by their ids, as `openai:gpt-5-mini`, or by their names alone, as `gpt-5-mini`. */
export type Prices = Readonly<Record<string, TokenPrice>>

const known = { input: true, output: true, cacheRead: true, cacheWrite: true, asOf: true } satisfies {
  readonly [K in keyof TokenPrice]-?: true
}

/**
 * Prices of models by their ids, as they were given. Throws `usage` for anything else; `placeOf` names the place of a model's price, or of
 * one of its members, for the message.
 */
export function checkPrices(prices: unknown, placeOf: (model?: string, member?: string) => string): Prices {
  if (!isRecord(prices)) throw wrong(`${placeOf()} to name models`, prices)
  for (const [model, price] of Object.entries(prices)) {
    const place = (member?: string): string => `${placeOf(model, member)} for ${JSON.stringify(model)}`
    if (!isRecord(price)) throw wrong(`${place()} to have \`input\` and \`output\``, price)
    for (const name of Object.keys(price))
      if (!Object.hasOwn(known, name)) throw wrong(`${place(name)} to have ${Object.keys(known).join(", ")}`, name)
    for (const name of Object.keys(known)) {
      const value = price[name]
      if (value === undefined && name !== "input" && name !== "output") continue
      if (name === "asOf") {
        if (typeof value !== "string" || !/^\d{4}-\d\d(?:-\d\d)?$/.test(value))
          throw wrong(`${place(name)} to have a date such as 2026-11 as \`asOf\``, value)
      } else if (typeof value !== "number" || !Number.isFinite(value) || value < 0)
        throw wrong(`${place(name)} to have a number from 0 as \`${name}\``, value)
    }
  }
  return prices as Prices
}

function wrong(expected: string, found: unknown): PromptStrataError {
  // JSON has no word for a number without an end.
  const shown = typeof found === "number" ? String(found) : (JSON.stringify(found)?.slice(0, 60) ?? "nothing")
  return new PromptStrataError("usage", `Expected ${expected}, found ${shown}.`, {
    hint: 'By the id of a model, what a million of its tokens cost: { "openai:gpt-5-mini": { "input": 0.25, "cacheRead": 0.025, "output": 2 } }.',
  })
}

/** The price of a model: under its whole id, else under its name behind the provider's. Undefined if nobody knows it. */
export function priceOf(prices: Prices, model: string): TokenPrice | undefined {
  const name = [model, model.slice(model.indexOf(":") + 1)].find((each) => Object.hasOwn(prices, each))
  return name === undefined ? undefined : prices[name]
}

/**
 * The cost of calls in US dollars: what the provider told, else by the price. Cached input is a part of all input. Undefined if the price
 * or the tokens are unknown, never 0.
 */
export function costOf(usage: Usage | undefined, price: TokenPrice | undefined): number | undefined {
  if (usage?.costUsd !== undefined) return usage.costUsd
  const { inputTokens, inputCacheReadTokens = 0, inputCacheWriteTokens = 0, outputTokens = 0 } = usage ?? {}
  if (price === undefined || inputTokens === undefined) return undefined
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const plain = Math.max(0, inputTokens - inputCacheReadTokens - inputCacheWriteTokens)
  return (
    (plain * input + inputCacheReadTokens * cacheRead + inputCacheWriteTokens * cacheWrite + outputTokens * output) / 1_000_000
  )
}
