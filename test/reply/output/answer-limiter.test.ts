import { array, assert, constantFrom, integer, property, string } from "fast-check"
import { describe, expect, test } from "vitest"
import { roughCounter } from "../../../src/core/ports.ts"
import { AnswerLimiter } from "../../../src/reply/output/answer-limiter.ts"

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

  test.each([
    ["The dragon opened its eyes and", "opened its eyes and looked at her.", " looked at her."],
    ["The dragon opened its eyes and", "\n The dragon opened its eyes and looked.", " looked."],
    ["他推开门，看见一只", "看见一只猫。", "看见一只猫。"],
    ["他推开了门，看见一只", "推开了门，看见一只猫。", "猫。"],
    ["Hm", "Hm, yes.", ", yes."],
    ["It is 1234567890", "1234567890, or so.", ", or so."],
    ["It is 123456789", "123456789, or so.", "123456789, or so."],
    // A last word may come twice, and what stands in the middle is no repetition of the end.
    ["It was very, very", "very late.", "very late."],
    ["The dragon opened its eyes and", "The dragon opened a door.", "The dragon opened a door."],
    ["The dragon opened its eyes and", " looked at her.", " looked at her."],
    ["The dragon opened its eyes and", "opened its eyes and", ""],
  ])("N45 lets pass what is new behind %j of %j", (behind, answer, fresh) => {
    for (const pieces of [[answer], [...answer], answer.split(/(?= )/)]) {
      const limiter = new AnswerLimiter({ behind, stop: ["\nUser:"] }, roughCounter)
      expect(through(limiter, pieces)).toBe(fresh)
      expect(answer.trimStart()).toBe(limiter.repeated === "" ? fresh.trimStart() : limiter.repeated + fresh)
    }
  })

  test("N45 lets every answer pass that has nothing of the text before it", () => {
    assert(
      property(array(piece), (pieces) => {
        const limiter = new AnswerLimiter({ behind: "xyz" }, roughCounter)
        expect([through(limiter, pieces), limiter.repeated]).toEqual([pieces.join(""), ""])
      }),
    )
  })

  test("lets the same pass of a text that comes in one piece, in characters, and in the code points of these", () => {
    const [passed = "", ended] = ["👩‍👩‍👧 ab", "truncated"]
    const counter = { ...roughCounter, count: (text: string) => Array.from(text).length }
    for (const pieces of [["👩‍👩‍👧 abcdefgh"], [..."👩‍👩‍👧 abcdefgh"], ["👩‍👩", "‍👧 abcdefgh"]]) {
      const limiter = new AnswerLimiter({ maxTokens: 8 }, counter)
      expect([through(limiter, pieces), limiter.ended]).toEqual([passed, ended])
    }
    assert(
      property(array(piece), integer({ min: 1, max: 12 }), (pieces, maxTokens) => {
        const whole = pieces.join("")
        const read = (parts: readonly string[]) => through(new AnswerLimiter({ maxTokens }, counter), parts)
        expect(read([...whole])).toBe(read([whole]))
        expect(read(pieces)).toBe(read([whole]))
      }),
    )
  })

  test("lets a token pass whose beginning alone counts as more tokens", () => {
    const counter = { ...roughCounter, count: (text: string) => text.replaceAll("token", "x").length }
    for (const pieces of [["a token."], [..."a token."], ["a tok", "en."]]) {
      expect(through(new AnswerLimiter({ maxTokens: 4 }, counter), pieces)).toBe("a token.")
      expect(through(new AnswerLimiter({ maxTokens: 3 }, counter), pieces)).toBe("a token")
      expect(through(new AnswerLimiter({ maxTokens: 2 }, counter), pieces)).toBe("a ")
    }
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
