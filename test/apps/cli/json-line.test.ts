import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { jsonLine } from "../../../src/apps/cli/io.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"

describe("a line of JSON", () => {
  test("reads back as what was written and holds nothing that acts on a terminal", () => {
    const odd = fc.constantFrom("\u009b", "\u007f", "\u202e", "\u2028", "\u{e0041}", "\ud800", "\n", "\u001b", '"')
    const wild = fc
      .array(fc.oneof(odd, fc.string({ unit: "grapheme", maxLength: 3 })), { maxLength: 20 })
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(wild, (text) => {
        const line = jsonLine({ text })
        expect(JSON.parse(line)).toEqual({ text })
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u{e0000}-\u{e007f}]/u)
      }),
    )
  })

  test("holds an error as its code, message and evidence, wherever it stands", () => {
    const error = new PromptStrataError("model", "no answer", {
      hint: "Try again.",
      evidence: { status: 500 },
      cause: new Error("secret"),
    })
    expect(JSON.parse(jsonLine({ result: { error } }))).toEqual({
      result: { error: { code: "model", message: "no answer\nTry again.", hint: "Try again.", evidence: { status: 500 } } },
    })
    expect(JSON.parse(jsonLine(new TypeError("oops")))).toEqual({ code: "internal", message: "oops" })
  })
})
