import fc from "fast-check"
import { expect, test } from "vitest"
import { topOf } from "../../src/forgetting/ranking.ts"

test("the best of a list are those of a whole sort, equals in their order; what has no score is none", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20), { nil: undefined })), fc.nat(10), (scores, count) => {
      const items = scores.map((score, at) => ({ score, at }))
      const sorted = items.filter(({ score }) => score !== undefined).sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
      expect(topOf(items, count, ({ score }) => score)).toEqual(sorted.slice(0, count))
    }),
  )
})
