import { expect, test } from "vitest"
import { roughCounter } from "../../../../src/core/ports.ts"

test.each([
  [0x00, 0.25],
  [0x7f, 0.25],
  [0x80, 0.5],
  [0x2e7f, 0.5],
  [0x2e80, 1],
  [0xd7ff, 1],
  [0xe000, 1],
  [0xffff, 1],
  [0x10000, 1.5],
  [0x10ffff, 1.5],
])("a character with the code point %i is estimated at %f tokens", (codePoint, tokens) => {
  const text = String.fromCodePoint(codePoint)
  expect(roughCounter.estimate?.(text)).toBe(tokens)
  expect(roughCounter.count(text.repeat(5))).toBe(Math.ceil(5 * tokens))
  expect(roughCounter.exact).toBe(false)
})
