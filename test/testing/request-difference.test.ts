import { describe, expect, test } from "vitest"
import type { Message } from "../../src/core/span.ts"
import type { RecordedRequest } from "../../src/testing/recording/recording.ts"
import { requestDifference } from "../../src/testing/recording/request-difference.ts"

const says = (content: string, more: Partial<Message> = {}): Message => ({ role: "user", content, ...more })
const tool = (name: string, description = "D") => ({ name, description, inputSchema: { type: "object" } })
const lines = (count: number, name = "line") => Array.from({ length: count }, (_, at) => `${name} ${at + 1}`)

/** The difference of two requests with one system message and these fields. */
const differ = (recorded: Partial<RecordedRequest>, now: Partial<RecordedRequest>) =>
  requestDifference({ messages: [], ...recorded } as RecordedRequest, { messages: [], ...now } as RecordedRequest)
const texts = (recorded: string, now: string) => differ({ messages: [says(recorded)] }, { messages: [says(now)] })

describe("settings and tools", () => {
  test.each<[Partial<RecordedRequest>, Partial<RecordedRequest>, string]>([
    [{}, {}, ""],
    [{ temperature: 0 }, { temperature: 0 }, ""],
    [{ temperature: 0 }, {}, "temperature: recorded 0, now nothing."],
    [{}, { maxOutputTokens: 9 }, "maxOutputTokens: recorded nothing, now 9."],
    [{ toolChoice: "auto" }, { toolChoice: "none" }, "toolChoice: recorded auto, now none."],
    [
      { responseFormat: { type: "json", schema: { a: 1 } } } as never,
      { responseFormat: { type: "json", schema: { a: 2 } } } as never,
      'responseFormat: recorded {"type":"json","schema":{"a":1}}, now {"type":"json","schema":{"a":2}}.',
    ],
    [
      { toolChoice: "auto", temperature: 1 },
      { toolChoice: "none", temperature: 2 },
      "toolChoice: recorded auto, now none.\n\ntemperature: recorded 1, now 2.",
    ],
    [{ tools: [tool("a")] }, { tools: [tool("a")] }, ""],
    [{}, { tools: [tool("a")] }, "Tool a: new."],
    [{ tools: [tool("a")] }, {}, "Tool a: recorded, and missing now."],
    [{ tools: [tool("a"), tool("b")] }, { tools: [tool("b"), tool("a")] }, "The tools come in another order: b, a."],
    [{ tools: [tool("a"), tool("b")] }, { tools: [tool("b")] }, "Tool a: recorded, and missing now."],
    [
      { tools: [tool("a", "one")] },
      { tools: [tool("a", "two")] },
      'Tool a, line 3:\n    {\n    "name": "a",\n  -   "description": "one",\n  +   "description": "two",\n    "inputSchema": {',
    ],
  ])("%j and %j", (recorded, now, expected) => {
    expect(differ(recorded, now).replaceAll(/^ {3,}(?=\S)/gm, "    ")).toBe(expected.replaceAll(/^ {3,}(?=\S)/gm, "    "))
  })
})

describe("messages", () => {
  const [a, b, c] = [says("a"), says("b\nmore"), says("c")]

  test.each<[string, readonly Message[], readonly Message[], string]>([
    ["one more in the middle", [a, c], [a, b, c], "Message 2 of 3 (user): new.\n  + b"],
    ["one more at the end", [a], [a, b], "Message 2 of 2 (user): new.\n  + b"],
    ["one more at the beginning", [c], [b, c], "Message 1 of 2 (user): new.\n  + b"],
    ["one less", [a, b, c], [a, c], "Message 2 of 3 (user): recorded, and missing now.\n  - b"],
    ["one twice", [a], [a, a], "Message 2 of 2 (user): new.\n  + a"],
    ["another role", [a, b], [a, { ...c, role: "assistant" }], "Message 2 of 2: recorded as user, now assistant.\n  - b\n  + c"],
    [
      "another call that is answered",
      [says("a", { toolCallId: "1" })],
      [says("a", { toolCallId: "2" })],
      "Message 1 of 1 (user), the call it answers, line 1:\n  - 1\n  + 2",
    ],
    [
      "a call that is answered",
      [says("a")],
      [says("a", { toolCallId: "2" })],
      "Message 1 of 1 (user), the call it answers, line 1:\n  - \n  + 2",
    ],
    [
      "calls",
      [says("a")],
      [says("a", { toolCalls: [{ id: "1", name: "n", args: "{}" }] })],
      "Message 1 of 1 (user), its tool calls, line 1:\n  - []\n  + [",
    ],
    [
      "two that differ, of which one is new",
      [a, b, c],
      [a, says("x"), says("y"), says("z"), c],
      "Message 2 of 5 (user), line 1:\n  - b\n  + x\n\nMessage 3 of 5 (user): new.\n  + y\n\nMessage 4 of 5 (user): new.\n  + z",
    ],
  ])("%s", (_, recorded, now, expected) => {
    expect(differ({ messages: recorded }, { messages: now })).toBe(expected)
  })

  test.each([8, 9, 10])("%d that differ are told, at most eight of them", (count) => {
    const all = differ(
      { messages: lines(count, "was").map((text) => says(text)) },
      { messages: lines(count, "is").map((text) => says(text)) },
    )
    const blocks = all.split("\n\n")
    expect(blocks.slice(0, 8).map((block) => /Message (\d+) of/.exec(block)?.[1])).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
    ])
    expect(blocks.slice(8)).toEqual(count > 8 ? [`… and ${count - 8} more differences.`] : [])
  })
})

describe("the first line that differs", () => {
  const shown = (recorded: string, now: string) => texts(recorded, now).split("\n")

  test.each([1, 2, 3, 4, 5])("is line %d, with two lines before it and the next one", (line) => {
    const all = lines(5)
    const before = all.slice(Math.max(0, line - 3), line - 1).map((text) => `    ${text}`)
    const next = all.slice(line, line + 1).map((text) => `    ${text}`)
    expect(shown(all.join("\n"), all.with(line - 1, "other").join("\n"))).toEqual([
      `Message 1 of 1 (user), line ${line}:`,
      ...before,
      `  - line ${line}`,
      "  + other",
      ...next,
    ])
  })

  test("has no line behind it that differs, too", () => {
    expect(shown("a\nb\nc", "a\nx\ny")).toEqual(["Message 1 of 1 (user), line 2:", "    a", "  - b", "  + x"])
    expect(shown("a\nb\nc", "a\nx")).toEqual(["Message 1 of 1 (user), line 2:", "    a", "  - b", "  + x"])
  })

  test("may be the end of one of them", () => {
    expect(shown("a", "a\nb")).toEqual(["Message 1 of 1 (user), line 2:", "    a", "  - (the text ends here)", "  + b"])
    expect(shown("a\nb", "a")).toEqual(["Message 1 of 1 (user), line 2:", "    a", "  - b", "  + (the text ends here)"])
  })

  test.each<[string, string, string, string]>([
    ["a b", "a  b", '"a b"', '"a  b"'],
    ["a", "a ", '"a"', '"a "'],
    ["a\u200bb", "ab", '"a\\u200bb"', '"ab"'],
    ["a\tb", "a b", '"a\\tb"', '"a b"'],
    ["a\u00a0b", "a b", '"a\\u00a0b"', '"a b"'],
    ["a\u0007b", "ac", "a\\u0007b", "ac"],
    ["a\u2028b", "ac", "a\\u2028b", "ac"],
    ["a\ud800", "b", "a\ufffd", "b"],
  ])("that differs in what nobody sees is quoted: %j and %j", (was, is, minus, plus) => {
    expect(shown(was, is).slice(1)).toEqual([`  - ${minus}`, `  + ${plus}`])
  })

  test.each([
    [49, 0],
    [50, 0],
    [51, 1],
    [120, 70],
  ])("that differs behind %d equal characters is shown from the one before which fifty stand", (same, from) => {
    const [, minus = "", plus = ""] = shown(`${"s".repeat(same)}a`, `${"s".repeat(same)}b`)
    const mark = from > 0 ? "…" : ""
    expect([minus, plus]).toEqual([`  - ${mark}${"s".repeat(same - from)}a`, `  + ${mark}${"s".repeat(same - from)}b`])
  })

  test.each([
    [99, false],
    [100, false],
    [101, true],
  ])("of %d characters is cut: %s", (length, isCut) => {
    const [, minus, plus] = shown(`a${"x".repeat(length - 1)}`, `b${"x".repeat(length - 1)}`)
    const rest = "x".repeat(Math.min(99, length - 1)) + (isCut ? "…" : "")
    expect([minus, plus]).toEqual([`  - a${rest}`, `  + b${rest}`])
  })

  test("of a message that is new is its first line, cut alike", () => {
    expect(differ({}, { messages: [says(`${"x".repeat(101)}\ny`)] })).toBe(`Message 1 of 1 (user): new.\n  + ${"x".repeat(100)}…`)
    expect(differ({}, { messages: [says("")] })).toBe("Message 1 of 1 (user): new.\n  + ")
  })
})
