import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { encodeFence, encodeIndent } from "../../../src/prompt/encode/encode.ts"
import { onOneLine } from "../../../src/prompt/encode/line-breaks.ts"
import { breakTokens } from "../../../src/prompt/encode/sanitise.ts"
import { terminalLine } from "../../../src/prompt/encode/terminal-text.ts"
import { decodeTranscript, encodeTranscript, formatTranscript, parseTranscript } from "../../../src/prompt/encode/transcript.ts"
import { decodeFence, decodeIndent, decodeInline, joinTokens } from "../../support/decode-text.ts"

/** The error as a person reads it. */
function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (!(error instanceof PromptStrataError)) throw error
    return `${error.code}: ${error.message.replace("\n", " ")}`
  }
  throw new Error("expected a refusal")
}

const long = "x".repeat(200)

describe("what the encoders refuse, word for word", () => {
  test.each<[string, () => unknown, string]>([
    [
      "no fence",
      () => decodeFence(long),
      `encoding: Expected a fenced text, found "${"x".repeat(80)}". Pass exactly what encodeFence returned.`,
    ],
    [
      "a fence that never closes",
      () => decodeFence("```"),
      'encoding: Expected a fenced text, found "```". Pass exactly what encodeFence returned.',
    ],
    [
      "info with a backtick",
      () => encodeFence("", "`"),
      'encoding: Expected a fence\'s info on one line without backticks, found "`".',
    ],
    ["a prefix of two lines", () => encodeIndent("", "a\n"), 'encoding: Expected a prefix without line breaks, found "a\\n".'],
    [
      "quotes that stay open",
      () => decodeInline(`"${long}`),
      `encoding: Expected a bare word or one JSON string, found "\\"${"x".repeat(79)}". Pass exactly what encodeInline returned.`,
    ],
    [
      "a transcript that begins with words",
      () => parseTranscript(`${long}\n^a:1`),
      `encoding: Line 1 of the transcript: expected a line that begins with ^NAME: or #NAME, found "${"x".repeat(40)}". Write transcripts with formatTranscript.`,
    ],
    [
      "a speaker without a colon",
      () => parseTranscript("^a:1\n^b\n^c:2"),
      'encoding: Line 2 of the transcript: expected a colon after ^NAME, found "^b\\n^c:2". Write transcripts with formatTranscript.',
    ],
    [
      "a speaker without a colon at the end",
      () => parseTranscript("^a:1\nx\n^b"),
      'encoding: Line 3 of the transcript: expected a colon after ^NAME, found "^b". Write transcripts with formatTranscript.',
    ],
    [
      "a tool without a result",
      () => parseTranscript("#b"),
      'encoding: Line 1 of the transcript: expected a line after #NAME, found "#b". Write transcripts with formatTranscript.',
    ],
    [
      "a tool right before a speaker",
      () => parseTranscript("#b\n^c"),
      'encoding: Line 2 of the transcript: expected a colon after ^NAME, found "^c". Write transcripts with formatTranscript.',
    ],
  ])("%s", (_what, run, words) => {
    expect(refusal(run)).toBe(words)
  })

  test("the line of a transcript is told as a number, too", () => {
    const error = (() => {
      try {
        return parseTranscript("^a:1\n^b")
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toMatchObject({ evidence: { line: 2 } })
  })
})

describe("texts at the edges", () => {
  test("a transcript of nothing has no messages; names and texts may be empty or hold marks", () => {
    expect(parseTranscript("")).toEqual([])
    expect(parseTranscript("#t\n")).toEqual([{ kind: "tool", name: "t", text: "" }])
    expect(parseTranscript("^:")).toEqual([{ kind: "speaker", name: "", text: "" }])
    expect(parseTranscript("^a\\:b:c:d")).toEqual([{ kind: "speaker", name: "a:b", text: "c:d" }])
    expect(formatTranscript([])).toBe("")
  })

  test("a transcript's marks are encoded for each markers of their own, and a text that nobody encoded stays", () => {
    for (const markers of [undefined, { lines: new Set(["---"]), heads: ["x:"], fences: false }]) {
      expect(encodeTranscript("^a\nx", markers)).toBe("\\^a\nx")
      expect(decodeTranscript("^a", markers)).toBe("^a")
    }
  })

  test("a token that was not broken is no encoded one", () => {
    expect(joinTokens("<|im_start|>")).toBe("<|im_start|>")
    expect(joinTokens("<\\\\|im_start|>")).toBe("<\\|im_start|>")
    expect(breakTokens("< a [ b")).toBe("< a [ b")
  })

  test("a line that has not the prefix keeps all it has, also when the text is indented by nothing", () => {
    expect(decodeIndent("  a\nb\n c\n\n  ")).toBe("a\nb\n c\n\n")
    expect(decodeIndent("> a\nb", "> ")).toBe("a\nb")
  })

  test("white space and breaks of every kind become one space", () => {
    expect(onOneLine(" a\r\n\u0085 b\u3000\tc\u2028 ")).toBe("a b c")
    expect(onOneLine("")).toBe("")
  })

  test("a line for a terminal has 200 characters unless another number is said", () => {
    expect(terminalLine(long)).toBe(long)
    expect(terminalLine(`${long}y`)).toBe(`${long}…`)
  })
})
