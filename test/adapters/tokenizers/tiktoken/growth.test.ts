import { describe, expect, test } from "vitest"
import { createEncoder } from "../../../../src/adapters/tokenizers/tiktoken/encoder.ts"
import { runs } from "../../../support/size.ts"
import { both, encodings } from "./encoders.ts"

const units = ["a", "A", " ", "\n", "你", "的", "😀", "!", "é", "7", "ab", "\u0301", " \n", "A你", "\t\u3000"]

/** Steps of merging a run of so many characters, by an encoder that has seen nothing. */
function steps(encoding: (typeof encodings)[number], unit: string, characters: number): number {
  const { table, split } = both(encoding)
  const work = { steps: 0 }
  createEncoder({ table, split, work }).count(unit.repeat(characters / unit.length))
  return work.steps
}

describe.each(encodings)("an unbroken run in %s", (encoding) => {
  test("of twice the length takes at most 2.3 times the work, and at most 100 steps a character", () => {
    const half = runs(50_000)
    for (const unit of units) {
      const [before, after] = [steps(encoding, unit, half), steps(encoding, unit, 2 * half)]
      expect(after, JSON.stringify(unit)).toBeLessThanOrEqual(before * 2.3)
      expect(after, JSON.stringify(unit)).toBeLessThan(2 * half * 100)
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
    const long = runs(2_000)
    const ends = ["", "你", "x", "1", "\n", "'s", "!", " ", "\u0301"]
    const texts = units.flatMap((unit) =>
      ends.flatMap((end) => [unit.repeat(long) + end, end + unit.repeat(long), (unit + end).repeat(long)]),
    )
    for (const text of texts) expect(looks(encoding, text), JSON.stringify(text.slice(-6))).toBeLessThan(text.length * 30)
  })
})

test("a run too long for a regular expression's stack is split and counted", () => {
  const { encoder } = both("o200k_base")
  const characters = runs(2_000_000)
  const run = "你".repeat(characters)
  expect([...encoder.pieces(run)]).toEqual([0])
  expect([...encoder.pieces("😀".repeat(characters))]).toEqual([0])
  expect(encoder.count(run)).toBe(characters)
})
