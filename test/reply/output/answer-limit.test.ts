import { array, assert, constantFrom, integer, property, string } from "fast-check"
import { describe, expect, test } from "vitest"
import { roughCounter } from "../../../src/core/ports.ts"
import { AnswerLimiter } from "../../../src/reply/output/answer-limit.ts"

const through = (limiter: AnswerLimiter, pieces: readonly string[]): string =>
  [...pieces.map((piece) => limiter.push(piece)), limiter.end()].join("")
const piece = string({ unit: constantFrom("a", "b", "\n", "好", "👩‍👩‍👧"), maxLength: 6 })

describe("N19 the limit of an answer", () => {
  test("lets pass what stands before the stop that is whole first, however the text comes in pieces", () => {
    assert(
      property(array(piece), array(piece, { maxLength: 4 }), (pieces, stop) => {
        const whole = pieces.join("")
        const places = stop
          .filter((each) => each !== "" && whole.includes(each))
          .map((each) => [whole.indexOf(each), each.length] as const)
        const [first] = places.toSorted(([a, n], [b, m]) => a + n - b - m || a - b)
        const limiter = new AnswerLimiter({ stop }, roughCounter)
        expect(through(limiter, pieces)).toBe(first ? whole.slice(0, first[0]) : whole)
        expect(limiter.ended).toBe(first ? "finish" : undefined)
      }),
    )
  })

  test("lets pass whole characters within the tokens, and all of a text that is within them", () => {
    assert(
      property(array(piece), integer({ min: 1, max: 12 }), (pieces, maxTokens) => {
        const whole = pieces.join("")
        const limiter = new AnswerLimiter({ maxTokens }, roughCounter)
        const passed = through(limiter, pieces)
        expect(whole.startsWith(passed)).toBe(true)
        expect(roughCounter.count(passed)).toBeLessThanOrEqual(maxTokens)
        expect(passed === whole).toBe(roughCounter.count(whole) <= maxTokens)
        expect(limiter.ended).toBe(passed === whole ? undefined : "truncated")
        expect(whole.slice(passed.length)).not.toMatch(/^[\u200d\udc00-\udfff]/)
      }),
    )
  })
})
