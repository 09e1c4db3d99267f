import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { sentencesOf, shorten } from "../../../src/memory/services/shorten-by-rule.ts"

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.array(fc.constantFrom("Yes. ", "3.14 ", "好。", "…", "!", "\n", "word ")).map((parts) => parts.join("")),
)

describe("shortening by rule", () => {
  test("keeps the first sentences and the last one", () => {
    const said =
      "I baked bread. It took three hours, as the oven is old. My sister came by and told me of her trip. We ate all of it."
    expect(shorten(said, 60)).toBe("I baked bread.…We ate all of it.")
    expect(shorten("今天烤了面包。烤箱很旧，花了三个小时。妹妹来了，说了旅行的事。全吃完了。", 30)).toBe(
      "今天烤了面包。烤箱很旧，花了三个小时。…全吃完了。",
    )
    expect(shorten("Aa. Bb. Cc. Dd.", 11)).toBe("Aa. Bb.…Dd.")
    expect(shorten("Я испёк хлеб. Печь старая. Потом пришла сестра и долго рассказывала. Всё съели.", 45)).toBe(
      "Я испёк хлеб. Печь старая.…Всё съели.",
    )
  })

  test("leaves what fits, and cuts one long sentence", () => {
    expect(shorten(" short ", 5)).toBe("short")
    expect(shorten("a".repeat(50), 10)).toBe(`${"a".repeat(9)}…`)
  })

  test("is never longer than asked, never splits a character, and does nothing twice", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 60 }), (whole, most) => {
        const short = shorten(whole, most)
        expect(short.length).toBeLessThanOrEqual(most)
        expect(short.isWellFormed()).toBe(whole.trim().isWellFormed() || short.isWellFormed())
        expect(shorten(short, most)).toBe(short)
      }),
    )
  })

  test("a point within a number or a name ends no sentence", () => {
    expect(sentencesOf("It is 3.14 by a.txt. Really?! Yes…\nGood")).toEqual(["It is 3.14 by a.txt.", "Really?!", "Yes…", "Good"])
  })
})
