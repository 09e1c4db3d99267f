import { describe, expect, test } from "vitest"
import { settleSeam } from "../../src/tokenizers/tiktoken/seam.ts"
import { dataPresent, hostileStrings } from "../support/corpora.ts"
import { both, tokensOf } from "../tokenizers/tiktoken/encoders.ts"

describe.skipIf(!dataPresent)("tokens of hostile strings", () => {
  const texts = dataPresent ? hostileStrings().map((text) => text.slice(0, 5000).toWellFormed()) : []

  test.each(["r50k_base", "p50k_base", "cl100k_base", "o200k_base"] as const)("are tiktoken's in %s, one by one", (encoding) => {
    const side = both(encoding)
    expect(texts.length).toBeGreaterThan(1000)
    for (const text of texts) expect(tokensOf(text, side)).toEqual([...side.tiktoken.encode_ordinary(text)])
  })

  test("add up when each string is joined to the next", () => {
    const { encoder } = both("o200k_base")
    const split = (text: string) => ({ text, starts: encoder.pieces(text) })
    for (const [index, text] of texts.entries()) {
      const next = texts[index + 1] ?? ""
      const [left, right] = [split(text), split(next)]
      const { kept, between, resumed } = settleSeam(left, right, encoder.pieces)
      const before = text.slice(0, left.starts[kept])
      const after = next.slice(right.starts[resumed] ?? next.length)
      expect(before + between.join("") + after).toBe(text + next)
      const parts = [before, ...between, after].map(encoder.count)
      expect(parts.reduce((sum, count) => sum + count, 0)).toBe(encoder.count(text + next))
    }
  })
})
