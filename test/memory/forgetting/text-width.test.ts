import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cutToWidth, fitTexts, textWidth } from "../../../src/memory/forgetting/text-width.ts"
import { runs, seedOf } from "../../support/size.ts"

describe("the width of texts", () => {
  test("counts a Chinese, Japanese or Korean character as two", () => {
    expect(["tea", "茶", "ちゃ", "차 tea", ""].map(textWidth)).toEqual([3, 2, 4, 6, 0])
  })

  test("a text is cut where it is too wide, never inside a character that is shown as one", () => {
    expect(cutToWidth("green tea", 9)).toBe("green tea")
    expect(cutToWidth("green tea", 8)).toBe("green te…")
    expect(cutToWidth("绿茶很好", 5)).toBe("绿茶…")
    expect(cutToWidth("👨‍👩‍👧 tea", 3)).toBe("…")
  })

  test("of several texts the widest are cut, all to one width, and the others stay", () => {
    expect(fitTexts(["a", "bbbb", "cccccccc"], 9)).toEqual(["a", "bbbb", "cccc…"])
    expect(fitTexts(["a", "bbbb"], 5)).toEqual(["a", "bbbb"])
    const texts = fc.array(fc.string({ unit: fc.constantFrom("a", " ", "茶", "。"), maxLength: 40 }), { maxLength: 12 })
    fc.assert(
      fc.property(texts, fc.nat(300), (given, most) => {
        const fitted = fitTexts(given, most)
        const isCut = fitted.map((text, at) => text !== given[at])
        const widths = fitted.map((text) => textWidth(text.replace(/…$/, "")))
        if (given.reduce((sum, text) => sum + textWidth(text), 0) <= most) expect(isCut).not.toContain(true)
        else expect(widths.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(most)
        const widest = Math.max(0, ...widths.filter((_, at) => isCut[at]))
        for (const [at, text] of given.entries()) if (isCut[at]) expect(textWidth(text)).toBeGreaterThanOrEqual(widest)
      }),
      { numRuns: runs(400), seed: seedOf(7) },
    )
  })
})
