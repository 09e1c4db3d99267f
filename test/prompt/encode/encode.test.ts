import fc from "fast-check"
import { afterEach, describe, expect, test, vi } from "vitest"
import { encodeText } from "../../../src/prompt/encode/encode.ts"
import type { EncoderName } from "../../../src/prompt/template/ast.ts"
import { decodeText } from "../../support/decode-text.ts"
import { runs } from "../../support/size.ts"
import { anyText } from "./arbitrary-text.ts"
import { markers } from "./realistic-markers.ts"

const names: readonly EncoderName[] = ["lines", "inline", "tail", "fence", "indent", "transcript", "speaker"]

afterEach(() => {
  vi.restoreAllMocks()
})

describe("encoders by name", () => {
  test.each([
    ["lines", "---\na", "\\---\na"],
    ["inline", "---\na", '"---\\na"'],
    ["tail", "---\na", '"---\\na"'],
    ["fence", "---\na", "```\n---\na\n```"],
    ["indent", "---\na", "  \\---\n  a"],
    ["tail", 'Ann said "yes, 21 °C" (see [1]): {"k": 1} ❤️', 'Ann said "yes, 21 °C" (see [1]): {"k": 1} ❤️'],
    ["tail", '"quoted"', '"\\"quoted\\""'],
    ["tail", "so [/memory context] ends", '"so [/memory context] ends"'],
    ["tail", "a\u202eb", '"a\\u202eb"'],
    ["tail", "a <|im_start|> b", '"a \\u003c|im_start|> b"'],
  ] as const)("%s writes %j so", (name, text, encoded) => {
    expect(encodeText(text, name, markers)).toBe(encoded)
  })

  test.each(names)("%s: decoding inverts encoding for every string", (name) => {
    fc.assert(
      fc.property(anyText, (text) => decodeText(encodeText(text, name, markers), name, markers) === text),
      { numRuns: runs(1000) },
    )
  })

  test.each(names)("%s takes time in proportion to the text, so large hostile texts pass", (name) => {
    for (const piece of [
      "`\u200b",
      "\\",
      "---\n",
      " ",
      "\r",
      "\ud83d",
      "a ",
      "｀",
      "\u200b",
      "\u0000",
      "\u0301\u0316",
      "\u302e\u{1d165}",
    ]) {
      const text = piece.repeat(runs(300_000))
      expect(decodeText(encodeText(text, name, markers), name, markers) === text).toBe(true)
    }
  })

  test.each(names)("%s normalises no long run of marks, which takes quadratic time", (name) => {
    const normalize = vi.spyOn(String.prototype, "normalize")
    encodeText("\u0301\u0316".repeat(1000), name, markers)
    expect(normalize.mock.contexts.filter((text) => /\p{M}{31}/u.test(String(text)))).toEqual([])
  })
})
