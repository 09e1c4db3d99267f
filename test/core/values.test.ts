import fc from "fast-check"
import { expect, test } from "vitest"
import { countCodePoints, offsetAfter } from "../../src/core/graphemes.ts"
import { isEmptyValue, type SlotValue } from "../../src/core/value.ts"
import { endsOf } from "../../src/prompt/encode/text-ends.ts"

const text = (words: string) => ({ text: words, trust: "user" }) as const

test.each<[SlotValue | undefined, boolean]>([
  [undefined, true],
  [false, true],
  [true, false],
  ["", true],
  [" \n\u3000", true],
  [" a ", false],
  [text(""), true],
  [text("\t"), true],
  [text("a"), false],
  [[], true],
  [[{ id: "a" }], false],
])("the value %j prints nothing: %s", (value, isEmpty) => {
  expect(isEmptyValue(value)).toBe(isEmpty)
})

/** Texts without graphemes of several code points, so that every cut is free. */
const anyText = fc.array(fc.constantFrom("a", "é", "好", "😀", "𝒳", "\n"), { maxLength: 40 })

test("code points are counted and found as in a list of them", () => {
  fc.assert(
    fc.property(anyText, fc.nat(45), (characters, count) => {
      const whole = characters.join("")
      expect(countCodePoints(whole)).toBe(characters.length)
      expect(offsetAfter(whole, count)).toBe(characters.slice(0, count).join("").length)
    }),
  )
})

test("of a long text the first seven and the last two tenths of its limit are left, counted in code points", () => {
  fc.assert(
    fc.property(anyText, fc.nat(45), (characters, limit) => {
      const ends = endsOf(characters.join(""), limit)
      const [keptHead, keptTail] = [Math.floor((limit * 7) / 10), Math.floor((limit * 2) / 10)]
      const head = characters.slice(0, keptHead).join("")
      const tail = characters.slice(characters.length - keptTail).join("")
      const isLong = characters.length > limit
      expect(ends).toEqual(isLong ? { head, tail, keptHead, keptTail, total: characters.length } : undefined)
    }),
  )
})
