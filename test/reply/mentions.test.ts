import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { findMentions, lastMessagesOf } from "../../src/reply/mentions.ts"

const names = ["bob", "3_bob", "bob smith", "晴蓝", "a_1"]

function found(text: string) {
  const { mentions, unknown } = findMentions(text, names)
  return [...mentions.map(({ name, count }) => `${name}×${count}`), ...unknown.map((mark) => `?${mark.text}`)]
}

describe("what somebody said last (R7)", () => {
  test.each([
    ["@last_bob", ["bob×1"]],
    ["@last_2_bob said", ["bob×2"]],
    ["see @last_bob smith, not @last_bob", ["bob smith×1", "bob×1"]],
    ["@last_3_bob", ["3_bob×1"]],
    ["@last_3_3_bob", ["3_bob×3"]],
    ["@last_12_晴蓝，好", ["晴蓝×12"]],
    ["@last_a_1", ["a_1×1"]],
    ["@last_eve hi", ["?@last_eve"]],
    ["@last_0_bob", ["?@last_0_bob"]],
    ["@last_99999_bob", ["?@last_99999_bob"]],
    ["@last_", ["?@last_"]],
    ["@last", []],
    ["@@last_bob@last_bob", ["bob×1", "bob×1"]],
    ["mail@last_bob.com", []],
    ["a.b+c@last_bob", []],
    ["почта@last_bob", []],
    ["@last_bob.com", ["?@last_bob.com"]],
    ["@last_bobby", ["?@last_bobby"]],
    ["@last_2_bob_2", ["?@last_2_bob_2"]],
    ["@last_bob. Then (@last_bob)", ["bob×1", "bob×1"]],
    ["看看@last_晴蓝说的，和@last_bob说的", ["晴蓝×1", "bob×1"]],
  ])("%j", (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  test("is the text's own characters at the offsets given, each mark once and in order", () => {
    const part = fc.constantFrom("@last_", "@last_2_", "bob", "eve", " ", "_", "7", "晴蓝")
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join("")
        const { mentions, unknown } = findMentions(text, names)
        let end = 0
        for (const mention of mentions) {
          expect(mention.start).toBeGreaterThanOrEqual(end)
          expect(text.slice(mention.start, mention.end)).toMatch(new RegExp(`^@last_(${mention.count}_)?${mention.name}$`, "u"))
          end = mention.end
        }
        const all = [...mentions, ...unknown].map(({ start }) => start)
        const ends = mentions.map((mark) => mark.end)
        for (const { index } of text.matchAll(/@last_/g)) {
          const isInWord = /[a-z0-9_]$/.test(text.slice(0, index)) && !ends.includes(index)
          expect(all.includes(index), text.slice(index)).toBe(!isInWord)
        }
      }),
    )
  })

  test("gives that speaker's messages, oldest first, and no more than there are", () => {
    const messages = ["甲", "乙", "甲", "甲"].map((name, at) => ({ name, at }))
    expect(lastMessagesOf(messages, { name: "甲", count: 2 }).map(({ at }) => at)).toEqual([2, 3])
    expect(lastMessagesOf(messages, { name: "甲", count: 9 })).toHaveLength(3)
    expect(lastMessagesOf(messages, { name: "丙", count: 1 })).toEqual([])
  })
})
