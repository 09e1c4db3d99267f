import { describe, expect, test } from "vitest"
import { Memo } from "../../../src/core/memo.ts"
import type { Injection, SlotEntry, SlotValue, Trust } from "../../../src/core/value.ts"
import { cleanInjection } from "../../../src/prompt/assemble/clean-injections.ts"
import { encodedText } from "../../../src/prompt/encode/marked-text.ts"

const injection = (content: SlotValue, trust: Trust = "user", more: Partial<Injection> = {}): Injection => ({
  ...{ key: "k", content, trust, priority: 1, role: "system", scope: "turn", enabled: true },
  ...more,
})
const tag = "a\u{e0041}b"
const bidi = "\u202ec"
const encoded = encodedText("x", "user", { removed: 3, kinds: ["tags"] })
const ofAuthor = encodedText("x", "author", { removed: 3, kinds: ["tags"] })

const memo = new Memo()

describe("S12 what is removed from an injection", () => {
  test.each<[string, SlotValue, Trust, SlotValue, number, readonly string[]]>([
    ["a tag in a text of its writer's", tag, "user", "ab", 1, ["tags"]],
    ["a tag in a text of another writer", { text: tag, trust: "memory" }, "author", { text: "ab", trust: "memory" }, 1, ["tags"]],
    [
      "kinds once, in their order",
      [{ a: tag }, { b: bidi, c: tag }],
      "user",
      [{ a: "ab" }, { b: "c", c: "ab" }],
      3,
      ["tags", "bidi"],
    ],
    ["what a list in a list holds", [{ a: [{ b: tag }, { b: "" }] }], "user", [{ a: [{ b: "ab" }] }], 1, ["tags"]],
    ["entries that hold nothing", [{ a: "x" }, { a: " ", b: false, c: [] }, {}], "user", [{ a: "x" }], 0, []],
    ["entries of which nothing is left", [{ a: "\u{e0041}" }, { a: "x" }], "user", [{ a: "x" }], 1, ["tags"]],
    ["no entry with a flag alone", [{ a: true }, { a: false }], "user", [{ a: true }], 0, []],
    ["an empty entry of an author's", [{ a: "x" }, { a: " " }], "author", [{ a: "x" }], 0, []],
    ["what was counted when a text of an author's was encoded", [{ a: ofAuthor }], "author", [{ a: ofAuthor }], 3, ["tags"]],
    ["what was counted when a text was encoded", [{ a: encoded, b: tag }], "user", [{ a: encoded, b: "ab" }], 4, ["tags"]],
  ])("is %s", (_, content, trust, expected, removed, kinds) => {
    const clean = cleanInjection(injection(content, trust), memo)
    expect(clean).toEqual({ injection: injection(expected, trust), removed, kinds })
    expect(cleanInjection(injection(content, trust), memo)).toEqual(clean)
  })

  test.each<[string, SlotValue, Trust]>([
    ["the author's text", tag, "author"],
    ["the author's text in an entry", [{ a: tag }], "author"],
    ["a text of the author's in a user's injection", [{ a: { text: tag, trust: "author" } }], "user"],
    ["a list without anything to clean", [{ a: "x" }, { b: true }], "user"],
    ["a flag", true, "user"],
  ])("is nothing of %s", (_, content, trust) => {
    const given = injection(content, trust)
    const clean = cleanInjection(given, memo)
    expect([clean?.injection ?? given, clean?.removed ?? 0]).toEqual([given, 0])
    expect((clean?.injection ?? given).content).toBe(given.content)
  })

  test("keeps the score of each entry that is left", () => {
    const content: readonly SlotEntry[] = [{ a: "x" }, { a: " " }, { a: tag }, { a: "" }, { a: "y" }]
    const clean = cleanInjection(injection(content, "user", { fit: { rank: 1, shrink: "entries", scores: [5, 6, 7, 8] } }), memo)
    expect(clean?.injection.fit?.scores).toEqual([5, 7, 0])
    expect(clean?.injection.content).toEqual([{ a: "x" }, { a: "ab" }, { a: "y" }])
  })

  test("is found anew in a list that grows, and for another writer of the same entries", () => {
    const [first, dirty]: SlotEntry[] = [{ a: "x" }, { a: tag }]
    if (!first || !dirty) throw new Error("expected entries")
    const growing = [first]
    expect(cleanInjection(injection(growing), memo)?.removed ?? 0).toBe(0)
    growing.push(dirty)
    expect(cleanInjection(injection(growing), memo)?.removed).toBe(1)
    expect(cleanInjection(injection([first, dirty], "author"), memo)?.removed ?? 0).toBe(0)
    expect(cleanInjection(injection([first, dirty], "memory"), memo)?.removed).toBe(1)
    expect(cleanInjection(injection([dirty, first]), memo)?.injection.content).toEqual([{ a: "ab" }, first])
  })
})
