import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { memoryHash, normaliseMemoryText } from "../../../../src/memory/services/memory/duplicates.ts"

const speaker = { id: "ann", name: "Ann" }
const hash = (text: string): string => memoryHash({ speaker, text })

describe("normaliseMemoryText", () => {
  test.each([
    ["I like tea.", "i like  TEA!"],
    ["I like tea", "\tI like\u00a0tea …"],
    ["我喜欢茶。", "我 喜欢茶"],
    ["我喜欢 tea", "我喜欢tea"],
    ["ＡＢＣ　１２３", "abc 123"],
    ["“Tea”, he said", "tea he said"],
    ["e\u0301t\u00e9", "\u00e9te\u0301"],
  ])("%j and %j say the same", (one, other) => {
    expect(normaliseMemoryText(one)).toBe(normaliseMemoryText(other))
  })

  test.each([
    ["I like tea", "I like teas"],
    ["no where", "nowhere"],
    ["it costs 1.5", "it costs 15"],
    ["it is -5", "it is 5"],
    ["You like tea?", "You like tea."],
    ["C++", "C"],
    ["10:30", "1030"],
  ])("%j and %j do not", (one, other) => {
    expect(normaliseMemoryText(one)).not.toBe(normaliseMemoryText(other))
  })

  test("keeps a mark inside a number, and nothing else of punctuation", () => {
    expect(normaliseMemoryText("At 10:30, it costs 1.5/2 — not 1,5.")).toBe("at 10:30 it costs 1.5/2 not 1,5")
  })

  test("normalises no long run of marks, which takes quadratic time", () => {
    const normalize = vi.spyOn(String.prototype, "normalize")
    normaliseMemoryText("\u0301\u0316".repeat(1000))
    const longRuns = normalize.mock.contexts.filter((text) => /\p{M}{31}/u.test(String(text)))
    vi.restoreAllMocks()
    expect(longRuns).toEqual([])
  })

  test("is the same for a text that is normalised already", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const once = normaliseMemoryText(text)
        expect(normaliseMemoryText(once)).toBe(once)
      }),
    )
  })

  test("case, width and white space around words never make another memory", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 6 })
    const space = fc.constantFrom(" ", "  ", "\n", "\u3000", " — ")
    fc.assert(
      fc.property(words, space, (parts, between) => {
        const plain = parts.join(" ")
        const wide = parts.map((word) => [...word].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join(""))
        expect(hash(parts.join(between).toUpperCase())).toBe(hash(plain))
        expect(hash(wide.join("\u3000"))).toBe(hash(plain))
      }),
    )
  })
})

test("the same words of another speaker are another memory", () => {
  expect(memoryHash({ speaker: { id: "bob", name: "Ann" }, text: "I like tea" })).not.toBe(hash("I like tea"))
})
