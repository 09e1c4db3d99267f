import { describe, expect, test } from "vitest"
import { createDecisionReader } from "../../src/reply/decision-reader.ts"
import { readingWork } from "../../src/reply/incoming-text.ts"
import { JsonReader } from "../../src/reply/json/json-reader.ts"

/** Characters looked at, reading `text` in pieces of four; readers that look at each again grow with the square. */
function steps(text: string, pieceLength = 4): number {
  const before = readingWork.steps
  const reader = createDecisionReader()
  for (let at = 0; at < text.length; at += pieceLength) reader.push(text.slice(at, at + pieceLength))
  reader.end()
  return readingWork.steps - before
}

const shapes: readonly { readonly name: string; readonly text: (size: number) => string }[] = [
  { name: "a message", text: (n) => `{"action":"finish","message":"${"a好\\n".repeat(n / 4)}"}` },
  { name: "a message before its action", text: (n) => `{"message":"${"abcd".repeat(n / 4)}","action":"finish"}` },
  { name: "arguments", text: (n) => `{"action":"tool","tool":"t","args":{"a":[${'"b",'.repeat(n / 4)}1]}}` },
  { name: "lists", text: (n) => `{"action":"tool","tool":"t","args":{"a":[${"[],".repeat(n / 3)}1]}}` },
  { name: "prose", text: (n) => "word ".repeat(n / 5) },
  { name: "a thought", text: (n) => `<think>${"a < b".repeat(n / 5)}` },
  { name: "beginnings of tags", text: (n) => "<<</thinkin".repeat(n / 11) },
  { name: "tags after backticks", text: (n) => "` <think> `` <think> ".repeat(n / 21) },
  {
    name: "tags after backticks that open no code",
    text: (n) =>
      Array.from({ length: Math.sqrt(n) }, (_, index) => `${"`".repeat(index + 1)} <think>`)
        .join("")
        .slice(0, n),
  },
  { name: "orphans", text: (n) => "abc</think>".repeat(n / 11) },
  { name: "braces", text: (n) => "{ ".repeat(n / 2) },
  { name: "objects without an action", text: (n) => '{"a":1} '.repeat(n / 8) },
  { name: "wrappers", text: (n) => '{"a":{"action":1}} '.repeat(n / 19) },
  { name: "broken objects that mention an action", text: (n) => "{action:x} ".repeat(n / 11) },
  { name: "objects inside one another", text: (n) => '{"a":'.repeat(n / 5) },
  { name: "bare names", text: (n) => "{a".repeat(n / 2) },
  { name: "fences", text: (n) => "```\n{`` `\n".repeat(n / 10) },
  { name: "inner quotes", text: (n) => `{"action":"finish","message":"${'say "hi" now '.repeat(n / 13)}"}` },
  { name: "quotes that may end a message", text: (n) => `{"action":"finish","message":"${'"'.repeat(n)}"}` },
  { name: "items without commas", text: (n) => `{'action':'tool','tool':'t','args':{'q':[${"'it' ".repeat(n / 5)}]}}` },
  { name: "comments", text: (n) => `{${"/* a */ ".repeat(n / 8)}"action":"finish"}` },
  { name: "objects that go on after a comma", text: (n) => '{"a":1}, // '.repeat(n / 12) },
  { name: "objects that were written as strings", text: (n) => '{\\"action\\":1} '.repeat(n / 15) },
  { name: "full-width objects", text: (n) => '｛"action"："x"｝'.repeat(n / 13) },
  { name: "escapes", text: (n) => `{"action":"finish","message":"${"\\uD83D\\u12".repeat(n / 10)}"}` },
]

describe("work grows as the output does", () => {
  test("a reader of JSON counts each character once, or once more where a word ends (T23)", () => {
    const ignore = () => undefined
    const sink = { open: ignore, close: ignore, key: ignore, text: ignore, textEnd: ignore, scalar: ignore }
    for (const text of [" [ [], { } ,\n[] ]", '{"a": ["\\u0041\\n"]}', "[1, true, null]"]) {
      const before = readingWork.steps
      const reader = new JsonReader(sink)
      for (const character of text) reader.feed(character, 0)
      expect(reader.state).toBe("closed")
      expect(readingWork.steps - before).toBeGreaterThanOrEqual(text.length)
      expect(readingWork.steps - before).toBeLessThanOrEqual(2 * text.length)
    }
  })

  test.each(shapes)("ten times $name is at most 10.5 times the work (T23)", ({ text }) => {
    const small = text(10_000)
    const large = text(100_000)
    expect(steps(small)).toBeGreaterThanOrEqual(small.length)
    expect(steps(small)).toBeLessThan(small.length * 5)
    expect(steps(large) / steps(small)).toBeLessThanOrEqual(10.5)
    expect(steps(large, large.length) / steps(small, small.length)).toBeLessThanOrEqual(10.5)
  })
})
