import { expect, test } from "vitest"
import { roughCounter } from "../../../src/core/ports.ts"
import { cachePrices } from "../../support/cache-comparison.ts"
import { kinds, pricedPauses } from "../../support/keep-alive-price.ts"

const priced = pricedPauses(roughCounter)

test.each(kinds)(
  "L28 with an %s cache one request pays for those alone who come back in time more often than its break-even",
  (kind) => {
    const { input, cacheRead, cacheWrite = input } = { cacheWrite: undefined, ...cachePrices[kind] }
    const ofWholePrompt = cacheRead / (cacheWrite - cacheRead)
    for (const { chance, prices, breakEven } of priced) {
      const [without = 0, one = 0] = prices[kind]
      expect(one < without).toBe(chance > breakEven[kind])
      // A part of the next prompt is new, so that a request costs a little more than it saves at this chance.
      expect(breakEven[kind] / ofWholePrompt).toBeGreaterThan(1)
      expect(breakEven[kind] / ofWholePrompt).toBeLessThan(1.15)
    }
    const pays = priced.map(({ meanMinutes, chance, breakEven }) => `${meanMinutes} ${chance > breakEven[kind]}`)
    expect(pays).toEqual(expect.arrayContaining(["2 true", "10 true", "60 false", "120 false"]))
  },
)
