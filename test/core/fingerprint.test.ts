import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Fingerprint } from "../../src/core/fingerprint.ts"
import { anyText } from "../prompt/encode/arbitrary-text.ts"

const printOf = (...texts: string[]) => texts.reduce((print, text) => print.add(text), new Fingerprint()).digest()

describe("a fingerprint", () => {
  test("is the same however the text is cut into pieces", () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        expect(printOf(...texts)).toBe(printOf(texts.join("")))
        expect(printOf(...texts)).toMatch(/^[0-9a-f]{16}$/)
      }),
    )
  })

  test("is the same in every version, so that kept traces can be compared", () => {
    expect(printOf("hello, 世界")).toMatchInlineSnapshot(`"2092f82a4f13ca59"`)
  })

  test("can be read on the way without changing it", () => {
    const print = new Fingerprint().add("a")
    expect(print.digest()).toBe(printOf("a"))
    expect(print.add("b").digest()).toBe(printOf("ab"))
  })

  test("differs for a hundred thousand texts that differ little", () => {
    const prints = new Set<string>()
    for (let i = 0; i < 50_000; i++) prints.add(printOf(`message ${i}`)).add(printOf(String.fromCharCode(i), "x"))
    expect(prints.size).toBe(100_000)
  })

  test("depends with both of its halves on each unit, however far back", () => {
    const far = (first: string) => printOf(`${first}${"x".repeat(1_000)}`)
    const [a, b] = [far("a"), far("b")]
    expect(a.slice(0, 8)).not.toBe(b.slice(0, 8))
    expect(a.slice(8)).not.toBe(b.slice(8))
  })

  test("differs for order, for length and for any one changed unit", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "binary" }), fc.nat(), fc.nat(0xffff), (text, at, unit) => {
        const place = at % text.length
        const changed = text.slice(0, place) + String.fromCharCode(unit) + text.slice(place + 1)
        if (changed !== text) expect(printOf(changed)).not.toBe(printOf(text))
        expect(printOf(`${text}\0`)).not.toBe(printOf(text))
      }),
    )
    expect(printOf("ab")).not.toBe(printOf("ba"))
  })
})
