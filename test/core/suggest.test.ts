import { describe, expect, test } from "vitest"
import { didYouMean, suggest } from "../../src/core/suggest.ts"

describe("a suggestion", () => {
  test.each<[string, readonly string[], string | undefined]>([
    ["plannr", ["planner", "final"], "planner"],
    ["Final", ["planner", "final"], "final"],
    ["qestion", ["question", "questions"], "question"],
    ["nmae", ["age", "name"], "name"],
    ["x", ["a", "planner"], undefined],
    ["ab", ["cd", "xb"], "xb"],
    ["memory", ["tools", "history"], undefined],
    ["词语", ["词汇", "tools"], "词汇"],
    ["a", [], undefined],
    ["same", ["same"], "same"],
  ])("for %j among %j is %j", (word, candidates, expected) => {
    expect(suggest(word, candidates)).toBe(expected)
  })

  test("is a sentence, or nothing", () => {
    expect(didYouMean("plannr", ["planner"])).toBe(' Did you mean "planner"?')
    expect(didYouMean("plannr", ["final"])).toBe("")
  })

  test("is not sought for what is far too long to be a name", () => {
    expect(suggest("x".repeat(1_000_000), ["x".repeat(999_999)])).toBeUndefined()
  })
})
