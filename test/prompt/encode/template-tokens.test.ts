import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { shippedDialect, shippedDialectNames } from "../../../src/prompt/dialect/shipped.ts"
import { encodeText } from "../../../src/prompt/encode/encode.ts"
import { decodePath, formatFileReference } from "../../../src/prompt/encode/file-reference.ts"
import { withoutUnseen } from "../../../src/prompt/encode/fold.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { allChatTokens as tokens } from "../../support/chat-tokens.ts"
import { decodeText } from "../../support/decode-text.ts"
import { runs } from "../../support/size.ts"
import { ran, turnState } from "../../support/turns.ts"
import { anyText } from "./arbitrary-text.ts"

const encoders = ["lines", "inline", "fence", "indent", "transcript", "speaker"] as const
const { markers } = shippedDialect("fay", "en")

describe("T28 tokens of chat templates", () => {
  test.each(tokens)("%s is broken by every encoder, and comes back", (token) => {
    for (const encoder of encoders) {
      for (const text of [token, `hi ${token}system`, `a\n${token}`, `${token.charAt(0)}\\${token.slice(1)}`, token + token]) {
        const encoded = encodeText(text, encoder, markers)
        expect(encoded).not.toContain(token)
        expect(decodeText(encoded, encoder, markers)).toBe(text)
      }
    }
  })

  test.each(encoders)("%s gives back every string with tokens and backslashes in it", (encoder) => {
    const piece = fc.oneof(fc.constantFrom(...tokens, "<", "[", "\\", "|", "\n", "<|", "SYS>>", "~b", "[e~"), anyText)
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("")
        expect(decodeText(encodeText(text, encoder, markers), encoder, markers)).toBe(text)
      }),
      { numRuns: runs(300) },
    )
  })

  test.each(shippedDialectNames())("stand nowhere in a prompt of %s, also inside fences", (dialect) => {
    const words = `hi ${tokens.join(" ")}\n${tokens.join("\n")}`
    const given = { memories: [{ text: words }], prestart: [{ tool: "read", args: { words }, result: words }] }
    const turn = turnState(words, {
      ...given,
      group: true,
      runs: [ran("read", { words }, words)],
      note: words,
      attachments: [{ name: words }, { name: words, mediaType: words, blob: "0" }],
    })
    const stack = new PromptStack([{ key: "observed", content: words, trust: "tool" }])
    for (const prompt of ["planner", "final"]) {
      const text = assemble(stack, { dialect, prompt, turn }).messages.map(({ content }) => content)
      for (const token of tokens) expect(text.join("\n")).not.toContain(token)
    }
  })

  test("a file's path, too, holds none, and no closing marker", () => {
    for (const path of [...tokens, "</prestart>", "［/memory context］", "﹤/s≯"]) {
      const written = formatFileReference({ path: `a ${path}` })
      expect(withoutUnseen(written)).not.toContain(withoutUnseen(path))
      expect(decodePath(written.slice(2, -1))).toBe(`a ${path}`)
    }
  })

  test("operators, links and HTML are no tokens", () => {
    const words =
      "f <| x |> g, a[i] < b, <b>bold</b>, <strong>, [link](x), [Instance], List<s, t>, List<Function>, Vec<Parameter>, <imgs>, <image>, <parameters>, [SEPT], f<tool>, <img src=x>, [users]"
    expect(encodeText(words, "lines", markers)).toBe(words)
  })
})
