import { describe, expect, test } from "vitest"
import { both, encodings } from "./encoders.ts"

const units = ["a", "A", " ", "\n", "你", "的", "😀", "!", "é", "7", "ab", "\u0301", " \n", "A你", "\t\u3000"]

/** Steps of merging a run of so many characters. */
function steps(encoding: (typeof encodings)[number], unit: string, characters: number): number {
  const { encoder, work } = both(encoding)
  const before = work.steps
  encoder.count(unit.repeat(characters / unit.length))
  return work.steps - before
}

describe.each(encodings)("an unbroken run in %s", (encoding) => {
  test("of twice the length takes at most 2.3 times the work, of 100,000 characters at most 100 steps a character", () => {
    for (const unit of units) {
      const [half, whole] = [steps(encoding, unit, 50_000), steps(encoding, unit, 100_000)]
      expect(whole, JSON.stringify(unit)).toBeLessThanOrEqual(half * 2.3)
      expect(whole, JSON.stringify(unit)).toBeLessThan(10_000_000)
    }
  })
})

/** How often a text is looked at while it is split. */
function looks(encoding: (typeof encodings)[number], text: string): number {
  const { split } = both(encoding)
  let count = 0
  const watched = new Proxy(Object(text), {
    get(target, key) {
      count++
      const value = Reflect.get(target, key)
      return typeof value === "function" ? value.bind(target) : value
    },
  }) as string
  for (let at = 0; at < text.length; at = split(watched, at));
  return count
}

describe.each(["gpt2", "cl100k_base", "o200k_base"] as const)("splitting in %s", (encoding) => {
  test("looks at each character a bounded number of times, whatever run stands before or after it", () => {
    const ends = ["", "你", "x", "1", "\n", "'s", "!", " ", "\u0301"]
    const texts = units.flatMap((unit) =>
      ends.flatMap((end) => [unit.repeat(2000) + end, end + unit.repeat(2000), (unit + end).repeat(2000)]),
    )
    for (const text of texts) expect(looks(encoding, text), JSON.stringify(text.slice(-6))).toBeLessThan(text.length * 30)
  })
})

test("a run too long for a regular expression's stack is split and counted", () => {
  const { encoder } = both("o200k_base")
  const run = "你".repeat(2_000_000)
  expect([...encoder.pieces(run)]).toEqual([0])
  expect([...encoder.pieces("😀".repeat(2_000_000))]).toEqual([0])
  expect(encoder.count(run)).toBe(2_000_000)
})
