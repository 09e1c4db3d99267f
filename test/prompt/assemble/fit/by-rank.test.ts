import fc from "fast-check"
import { expect, test } from "vitest"
import type { Injection } from "../../../../src/core/value.ts"
import { byRank } from "../../../../src/prompt/assemble/fit/fit.ts"

const whole = fc.nat(3)
const any = fc.oneof(whole, fc.constantFrom(-1, -0, 0.5, 2 ** 31, 2 ** 53), fc.double({ noNaN: true }))

test("S13 the lowest rank comes first, equal ones in the order given, whatever numbers ranks are", () => {
  const ranks = fc.oneof(
    fc.array(fc.option(whole)),
    fc.array(fc.option(fc.integer({ min: -2, max: 2 }))),
    fc.array(fc.option(any)),
  )
  fc.assert(
    fc.property(ranks, (given) => {
      const injections = given.map((rank, at): Injection => {
        const fit = rank === null ? {} : { fit: { rank, shrink: "drop" } as const }
        return { key: `${at}`, content: "x", trust: "author", priority: 1, role: "system", scope: "turn", enabled: true, ...fit }
      })
      const ranked = injections.filter(({ fit }) => fit !== undefined)
      expect(byRank(injections)).toEqual(ranked.toSorted((a, b) => (a.fit?.rank ?? 0) - (b.fit?.rank ?? 0)))
    }),
  )
})
