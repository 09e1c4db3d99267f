import { describe, expect, test } from "vitest"
import { messageCounter } from "../../src/prompt/assemble/tokens/message-counter.ts"
import { both, tokensOf } from "../adapters/tokenizers/tiktoken/encoders.ts"
import { dataPresent, hostileStrings } from "../support/corpora.ts"

describe.skipIf(!dataPresent)("tokens of hostile strings", () => {
  const texts = dataPresent ? hostileStrings().map((text) => text.slice(0, 5000).toWellFormed()) : []

  test.each(["r50k_base", "p50k_base", "cl100k_base", "o200k_base"] as const)("are tiktoken's in %s, one by one", (encoding) => {
    const side = both(encoding)
    expect(texts.length).toBeGreaterThan(1000)
    for (const text of texts) expect(tokensOf(text, side)).toEqual([...side.tiktoken.encode_ordinary(text)])
  })

  test("S14 are counted exactly when each string is joined to the next ones", () => {
    const { encoder } = both("o200k_base")
    const counter = messageCounter({ exact: true, count: encoder.count, pieces: encoder.pieces, scan: encoder.scan })
    for (const index of texts.keys()) {
      const parts = texts.slice(index, index + 4).filter((text) => text !== "")
      expect(counter.message(parts.map((text) => ({ text })))).toBe(encoder.count(parts.join("")))
    }
  })
})
