import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { encodeFence } from "../../../src/prompt/encode/encode.ts"
import { decodeFence } from "../../support/decode-text.ts"
import { anyText } from "./arbitrary-text.ts"

describe("fence", () => {
  test.each([
    ["words", "你好", "```\n你好\n```"],
    ["nothing", "", "```\n\n```"],
    ["a fence", "a\n```\nb", "````\na\n```\nb\n````"],
    ["a longer run inside a line", "x `````", "``````\nx `````\n``````"],
    ["runs broken by a zero-width character", "``\u200b``", "`````\n``\u200b``\n`````"],
    ["backticks of another width", "`｀\u1fef", "````\n`｀\u1fef\n````"],
    ["a combining mark on a backtick", "`\u0301``", "````\n`\u0301``\n````"],
    ["runs on different lines", "``\n``", "```\n``\n``\n```"],
    ["a line break at its end", "a\n", "```\na\n\n```"],
    ["a carriage return at its end", "a\r", "```\na\r\n```"],
  ])("T6 %s", (_what, text, encoded) => {
    expect(encodeFence(text)).toBe(encoded)
    expect(decodeFence(encoded)).toBe(text)
  })

  test("T6 info follows the opening fence, on one line and without backticks", () => {
    expect(encodeFence("1", "json")).toBe("```json\n1\n```")
    expect(decodeFence("```json\n1\n```")).toBe("1")
    for (const info of ["a`", "a\nb", "a\u2028", "｀"]) expect(() => encodeFence("", info)).toThrow(PromptStrataError)
  })

  test("decoding inverts encoding for every string", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom("", "json"), (text, info) => decodeFence(encodeFence(text, info)) === text),
      { numRuns: 2000 },
    )
  })

  test.each(["", "abc", "```", "``\na\n``", "```\na", "```\na\n````", "```\n```", "````\na\n```"])(
    "%j is no fenced text",
    (text) => {
      expect(() => decodeFence(text)).toThrow(PromptStrataError)
    },
  )
})
