import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { leastRelevance } from "../../../src/memory/forgetting/events/select-events.ts"
import { relevanceAmong, relevanceTo, topOf } from "../../../src/memory/forgetting/ranking.ts"

test("the best of a list are those of a whole sort, equals in their order; what has no score is none", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20), { nil: undefined })), fc.nat(10), (scores, count) => {
      const items = scores.map((score, at) => ({ score, at }))
      const sorted = items.filter(({ score }) => score !== undefined).sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
      expect(topOf(items, count, ({ score }) => score)).toEqual(sorted.slice(0, count))
    }),
  )
})

/** The relevance of each of the texts. */
function amongAll(question: string, texts: readonly string[]): readonly number[] {
  const things = texts.map((text) => ({ text }))
  return things.map(relevanceAmong(question, things))
}

const english = {
  others: ["the garden", "a bread oven", "the choir", "a broken bicycle", "the tax letter", "a trip to the lake"].flatMap(
    (subject) =>
      Array.from(
        { length: 20 },
        (_, at) => `Ann said “I was busy with ${subject} today, point ${at}” and I answered “That sounds good”`,
      ),
  ),
  event: "Ann said “My cat Miso hid in the piano today, we looked for her everywhere” and I answered “Poor Miso”",
  about: [
    "Do you remember where Miso hid?",
    "Miso!",
    "Oh, and before I forget it, do you still know what happened that evening when we could not find Miso and she was in the piano?",
  ],
  notAbout: [
    "And now?",
    "Good morning! How are you today?",
    "Yes, thank you.",
    "I am tired, it was a long day at work",
    "Tell me more about the tax letter.",
  ],
}

const chinese = {
  others: ["院子里的番茄", "新买的烤箱", "合唱团排练", "坏掉的自行车", "报税的通知", "去杭州的旅行"].flatMap((subject) =>
    Array.from(
      { length: 20 },
      (_, at) => `用户说“你好呀！今天我又在忙${subject}，花的时间比想的要长，第${at}次”，我说“听起来挺辛苦的。”`,
    ),
  ),
  event: "用户说“今天我家的猫咪嗝噜躲进了钢琴里，我们找了好久。”，我说“真是辛苦了。”",
  about: ["你还记得嗝噜躲在哪里吗？", "嗝噜！", "对了，上次嗝噜不是躲到钢琴里去了吗，后来你是怎么说的来着？"],
  notAbout: ["然后呢？", "早上好，今天过得怎么样？", "嗯，谢谢你。", "我有点累，今天上班太久了", "再跟我说说报税的事吧。"],
}

describe.each([
  ["English", english],
  ["Chinese", chinese],
])("relevance in %s", (_, { others, event, about, notAbout }) => {
  const things = [...others, event].map((text) => ({ text }))
  const relevance = (question: string) => relevanceAmong(question, things)(things.at(-1) as (typeof things)[number])

  test.each(about)("R21: %s speaks of the event", (question) => {
    expect(relevance(question)).toBeGreaterThanOrEqual(leastRelevance)
  })

  test.each(notAbout)("R21: %s does not speak of it", (question) => {
    expect(relevance(question)).toBeLessThan(leastRelevance)
  })
})

test("relevance is from 0 to 1, and 0 for words of grammar and without events", () => {
  const grammar = { text: "and the of to" }
  expect(relevanceAmong("and the of to", [grammar])(grammar)).toBe(0)
  expect(relevanceAmong<typeof grammar>("tea", [])(grammar)).toBe(0)
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string(), { maxLength: 5 }), (question, texts) => {
      const things = texts.map((text) => ({ text }))
      const relevance = relevanceAmong(question, things)
      for (const thing of things) expect(relevance(thing) >= 0 && relevance(thing) <= 1).toBe(true)
    }),
  )
})

test("a question of one Chinese character is a question", () => {
  expect(relevanceTo({ text: "茶" })({ text: "我喜欢喝茶" })).toBeGreaterThan(0)
  expect(relevanceTo({ text: "茶" })({ text: "我喜欢咖啡" })).toBe(0)
  const texts = ["我喜欢喝茶", "我喜欢咖啡"]
  expect(amongAll("茶", texts)).toEqual([expect.closeTo(Math.SQRT1_2), 0])
})

test("the share of a question's terms and the sum of what fits both count", () => {
  const texts = ["I bake bread", "tea", "cake"]
  expect(amongAll("bread and tea", texts)).toEqual([0.5, 0.5, 0])
})

test("relevance among texts is that of a naive reading word by word", () => {
  const words = ["bread", "breads", "tea", "teas", "te", "cat", "cats", "milk", "zig"]
  const anyText = fc.array(fc.constantFrom(...words, "-", "Tea"), { maxLength: 6 }).map((some) => some.join(" "))
  const asked = fc.uniqueArray(fc.constantFrom("bread", "tea", "cat", "milk", "zig"), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(asked, fc.uniqueArray(anyText, { minLength: 1, maxLength: 8 }), (terms, texts) => {
      // A long word fits from its beginning on, a short one as a whole.
      const has = (text: string, term: string) =>
        text
          .toLowerCase()
          .split(/[^a-z]+/)
          .some((word) => (term.length > 3 ? word.startsWith(term) : word === term))
      const weight = (term: string) => Math.log(1 + texts.length / Math.max(1, texts.filter((text) => has(text, term)).length))
      const sum = (some: readonly string[]) => some.reduce((total, term) => total + weight(term), 0)
      const relevances = amongAll(terms.join(" and the "), texts)
      for (const [at, text] of texts.entries()) {
        const fit = sum(terms.filter((term) => has(text, term)))
        expect(relevances[at]).toBeCloseTo(Math.sqrt((fit / sum(terms)) * (fit / (fit + Math.log(1 + texts.length)))), 10)
      }
    }),
  )
})

test("only the last 400 characters of a question count", () => {
  const texts = ["bread", "tea"]
  const asked = (before: number) => amongAll(`tea ${"-".repeat(before)} bread`, texts)
  expect(asked(390)[1]).toBeGreaterThan(0)
  expect(asked(391)[1], "its first letter is cut off").toBe(0)
})

test.each([
  ["tea milk", "tea with milk", 1],
  ["tea milk", "bread", 0],
  ["", "tea", 0],
  ["?!", "tea", 0],
])("of %j a text %j has the share %d", (question, text, share) => {
  expect(relevanceTo({ text: question })({ text })).toBe(share)
})

test("a word is found by its stem where the stem begins it, else as it stands", () => {
  const texts = ["two babies slept", "one baby slept", "wolves howled", "a wolf howled"]
  const found = (question: string) => amongAll(question, texts).flatMap((fit, at) => (fit > 0 ? [at] : []))
  expect([found("babies"), found("wolves"), found("wolf")]).toEqual([[0], [2], [3]])
})
