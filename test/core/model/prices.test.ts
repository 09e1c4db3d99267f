import { describe, expect, test } from "vitest"
import shipped from "../../../src/core/model/prices.json" with { type: "json" }
import { checkPrices, costOf, priceOf } from "../../../src/core/model/prices.ts"

describe("T56 a price", () => {
  const price = { input: 10, output: 20 }

  test("counts cached input and what the cache kept apart, by the price of input unless it says another", () => {
    const usage = { inputTokens: 1_000_000, inputCacheReadTokens: 400_000, inputCacheWriteTokens: 100_000, outputTokens: 500_000 }
    expect(costOf(usage, price)).toBe(20)
    expect(costOf(usage, { ...price, cacheRead: 1, cacheWrite: 20 })).toBeCloseTo(5 + 0.4 + 2 + 10)
    expect(costOf({ ...usage, inputCacheReadTokens: 2_000_000 }, { ...price, cacheRead: 0 })).toBe(11)
  })

  test("that nobody knows gives no cost, nor do tokens that nobody told; what the provider told counts first", () => {
    const usage = { inputTokens: 1, outputTokens: 1 }
    expect([costOf(usage, undefined), costOf(undefined, price), costOf({ outputTokens: 5 }, price)]).toEqual(
      Array(3).fill(undefined),
    )
    expect(costOf({ costUsd: 0.5 }, undefined)).toBe(0.5)
    expect(costOf({ ...usage, costUsd: 0.5 }, price)).toBe(0.5)
  })

  test("stands under the whole id of a model or its name behind the provider's, and under no member of objects", () => {
    const other = { input: 1, output: 2 }
    const prices = { "gpt-5-mini": price, "azure:gpt-5-mini": other, "a:b": other }
    expect(["openai:gpt-5-mini", "azure:gpt-5-mini", "gpt-5-mini", "x:a:b"].map((id) => priceOf(prices, id))).toEqual([
      ...[price, other, price, other],
    ])
    expect(["openai:gpt-5", "constructor", "x:toString", ""].map((id) => priceOf(prices, id))).toEqual(Array(4).fill(undefined))
  })

  test("that the package comes with says of when it is", () => {
    expect(checkPrices(shipped, () => "")).toBe(shipped)
    for (const each of Object.values(shipped)) expect(each.asOf).toMatch(/^20\d\d-\d\d/)
  })
})
