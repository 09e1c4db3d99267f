import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createPlainTextReader } from "../../src/reply/thinking.ts"
import { cutAt, everyCutting } from "./readings.ts"

function read(pieces: readonly string[], options: { opensInThought?: boolean } = {}) {
  const reader = createPlainTextReader(options)
  const parts = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
  const joined = (type: string) => parts.map((part) => (part.type === type ? part.delta : "")).join("")
  return { parts, text: joined("text"), thinking: joined("thinking") }
}

describe("a streamed final output", () => {
  test.each([
    { name: "passes text through", text: "好的主人，1 < 2！\n", shown: "好的主人，1 < 2！\n" },
    { name: "takes thinking out, and the white space after it", text: "<think>a</think>\n\nb", shown: "b" },
    { name: "keeps white space inside the answer", text: "a <think>b</think>\n\nc\n", shown: "a \n\nc\n" },
    { name: "keeps white space of its own at the beginning", text: "  a", shown: "  a" },
    { name: "removes an orphan closing tag alone", text: "a</think>b", shown: "ab" },
    { name: "drops an unclosed thought", text: "a\n <thinking>b", shown: "a\n " },
    { name: "keeps an unclosed tag within a line", text: "the <think> tag", shown: "the <think> tag" },
    { name: "keeps tags in backticks", text: "`<think>` and ``a`</think>``", shown: "`<think>` and ``a`</think>``" },
    {
      name: "keeps a tag that only its name in backticks closes",
      text: "<b> <think>, `</think>`.",
      shown: "<b> <think>, `</think>`.",
    },
    { name: "takes a closed pair within a line out", text: "a <think>b</think>c", shown: "a c" },
    {
      name: "takes a thought that begins a line behind such a tag out",
      text: "x <think>\n<think>b</think>c",
      shown: "x <think>\nc",
    },
    { name: "leaves code behind such a tag alone", text: "x <think>\n```\n<think>\n", shown: "x <think>\n```\n<think>\n" },
    { name: "shows no braces differently", text: '{"action":"finish"}', shown: '{"action":"finish"}' },
  ])("T12, T22: $name, however it is cut", ({ text, shown }) => {
    expect(read([text]).text).toBe(shown)
    for (const cuts of [...everyCutting(text, 1), ...everyCutting(text, 2)]) expect(read(cutAt(text, cuts)).text).toBe(shown)
  })

  test("T22: a model declared to open in thought is read so", () => {
    expect(read(["a</think>\nb"], { opensInThought: true })).toMatchObject({ text: "b", thinking: "a" })
  })

  test("T23: no part ever holds half a surrogate pair, and a lone one is U+FFFD", () => {
    expect(read(["a\uD83D", "\uDE00b\uDE00", "c\uD83D"]).parts.map((part) => part.delta)).toEqual([
      "a",
      "😀b\uFFFD",
      "c",
      "\uFFFD",
    ])
    const units = fc.constantFrom("\uD83D", "\uDE00", "a", "<", "好", "😀")
    fc.assert(
      fc.property(fc.array(fc.array(units, { maxLength: 4 })), (pieces) => {
        const chunks = pieces.map((piece) => piece.join(""))
        const { parts, text } = read(chunks)
        expect(parts.every((part) => part.delta.isWellFormed() && part.delta !== "")).toBe(true)
        expect(text).toBe(chunks.join("").toWellFormed())
      }),
      { numRuns: 2_000 },
    )
  })
})
