import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { englishStem } from "../../../../../src/memory/services/recall/text/english-stem.ts"
import { fourGrams, wordTerm } from "../../../../../src/memory/services/recall/text/word-term.ts"

const families: readonly (readonly string[])[] = [
  ["museum", "museums", "museum's"],
  ["type", "types", "typed", "typing"],
  ["run", "runs", "running", "ran"],
  ["paint", "paints", "painted", "painting", "paintings"],
  ["hope", "hopes", "hoped", "hoping"],
  ["city", "cities"],
  ["happy", "happily", "happiness", "glad"],
  ["go", "went", "gone"],
  ["buy", "bought", "buying", "purchase"],
  ["child", "children", "kids", "kid"],
  ["mother", "mom", "mum", "moms"],
  ["agree", "agreed", "agreeing"],
  ["relate", "relational", "relating"],
  ["adopt", "adopted", "adoption", "adopting"],
  ["volunteer", "volunteered", "volunteering"],
  ["class", "classes"],
  ["box", "boxes"],
  ["photo", "picture", "photos", "pic"],
  ["cafe", "cafes"],
  ["movie", "film", "films"],
]

describe("a word's term", () => {
  test.each(families.map((family) => [family.join(", "), family] as const))("is one for %s", (_, family) => {
    expect(new Set(family.map(wordTerm)).size).toBe(1)
  })

  test.each([
    ["sing", "sink"],
    ["sea", "see"],
    ["universe", "museum"],
    ["hope", "hop"],
    ["paint", "pain"],
  ])("differs for %s and %s", (one, other) => {
    expect(wordTerm(one)).not.toBe(wordTerm(other))
  })

  test("of a word that is no English is the word", () => {
    expect(["über", "привет", "a1b2", "ab"].map(englishStem)).toEqual(["über", "привет", "a1b2", "ab"])
  })

  test("is short for any word, however long and odd", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z']{1,200}$/), (word) => {
        expect(wordTerm(word).length).toBeLessThanOrEqual(42)
        expect(fourGrams(word).every((gram) => gram.length === 4)).toBe(true)
      }),
    )
  })
})

test("a word that begins with an apostrophe stays as it is, another one loses what follows its own", () => {
  expect(["'tis", "ann's"].map(wordTerm)).toEqual(["'tis", "ann"])
})

test("each rule takes its suffix off, only from a stem that is long enough", () => {
  const stems = `
    caresses caress, ponies poni, ties tie, caress caress, cats cat, churches church, dishes dish, boxes box, buzzes buzz,
    feed feed, agreed agre, plastered plaster, bled bled, motoring motor, sing sing, conflated conflat, troubled troubl,
    sized size, hopping hop, tanned tan, falling fall, hissing hiss, fizzed fizz, failing fail, filing file, happy happi,
    sky sky, enjoyed enjoi, playing plai, relational relat, conditional condition, rational ration, valenci valenci,
    hesitancy hesitanci, digitizer digit, conformably conform, radically radic, differently differ, vilely vile,
    analogously analog, vietnamization vietnam, predication predic, operator oper, feudalism feudal, decisiveness decis,
    hopefulness hope, callousness callous, formality formal, sensitivity sensit, sensibility sensibl, triplicate triplic,
    formative form, formalize formal, electricity electr, electrical electr, hopeful hope, goodness good, revival reviv,
    allowance allow, inference infer, airliner airlin, gyroscopic gyroscop, adjustable adjust, defensible defens,
    irritant irrit, replacement replac, adjustment adjust, dependent depend, adoption adopt, homologous homolog,
    communism commun, activate activ, angularity angular, effective effect, bowdlerize bowdler, probate probat, rate rate,
    cease ceas, controlled controll, rolled roll, yoyo yoyo, toying toi, youth youth, bus bus, gas gas, is is, pies pie,
    lies lie, studies studi, dying dy, beauty beauti, payment payment, sync sync,
  `
  const pairs = stems
    .split(",")
    .map((pair) => pair.trim().split(" ") as [word: string, stem: string])
    .slice(0, -1)
  expect(pairs.map(([word]) => `${word} ${englishStem(word)}`)).toEqual(pairs.map((pair) => pair.join(" ")))
})
