import { describe, expect, test } from "vitest"
import type { Message } from "../../src/core/span.ts"
import type { RecordedRequest } from "../../src/testing/recording/recording.ts"
import { requestDifference } from "../../src/testing/recording/replay-model.ts"

const says = (content: string, more: Partial<Message> = {}): Message => ({ role: "user", content, ...more })
const tool = (name: string, description = "D") => ({ name, description, inputSchema: { type: "object" } })
const lines = (count: number, name = "line") => Array.from({ length: count }, (_, at) => `${name} ${at + 1}`)

/** The difference of two requests with these fields. */
const differ = (recorded: Partial<RecordedRequest>, now: Partial<RecordedRequest>) =>
  requestDifference({ messages: [], ...recorded } as RecordedRequest, { messages: [], ...now } as RecordedRequest)

/** The lines that are only in one of two requests, behind `+` if they are new. */
const marked = (recorded: Partial<RecordedRequest>, now: Partial<RecordedRequest>) =>
  differ(recorded, now)
    .split("\n")
    .slice(1)
    .filter((line) => /^[+-]/u.test(line))
    .map((line) => line.replace(/^([+-]) *(['"`])(.*)\2,?$/u, "$1$3"))

const texts = (recorded: string, now: string) => marked({ messages: [says(recorded)] }, { messages: [says(now)] })
const call = (id: string) => ({ toolCalls: [{ id, name: "n", args: "{}" }] })

describe("two requests differ", () => {
  test.each<[string, Partial<RecordedRequest>, Partial<RecordedRequest>, readonly string[]]>([
    ["in a setting that is gone", { temperature: 0, maxOutputTokens: 1 }, { maxOutputTokens: 1 }, ['-  "temperature": 0,']],
    ["in a setting", { toolChoice: "auto" }, { toolChoice: "none" }, ['+  "toolChoice": "none"', '-  "toolChoice": "auto"']],
    [
      "in a schema",
      { responseFormat: { type: "json", schema: { a: 1 } } } as never,
      { responseFormat: { type: "json", schema: { a: 2 } } } as never,
      ['+      "a": 2', '-      "a": 1'],
    ],
    [
      "in the words of a tool",
      { tools: [tool("a", "one")] },
      { tools: [tool("a", "two")] },
      ['+  "description": "two",', '-  "description": "one",'],
    ],
    ["in a message more", { messages: [says("a"), says("c")] }, { messages: [says("a"), says("b"), says("c")] }, ["+b"]],
    ["in a message less", { messages: [says("a"), says("b"), says("c")] }, { messages: [says("a"), says("c")] }, ["-b"]],
    ["in a role", { messages: [says("a")] }, { messages: [says("a", { role: "assistant" })] }, ["+# assistant", "-# user"]],
    [
      "in the call that is answered",
      { messages: [says("a", { toolCallId: "1" })] },
      { messages: [says("a", { toolCallId: "2" })] },
      ['+  "toolCallId": "2"', '-  "toolCallId": "1"'],
    ],
    [
      "in calls",
      { messages: [says("a", call("1"))] },
      { messages: [says("a", call("2"))] },
      ['+      "id": "2",', '-      "id": "1",'],
    ],
  ])("%s", (_, recorded, now, expected) => {
    expect(marked(recorded, now)).toEqual(expect.arrayContaining([...expected]))
    expect(marked(recorded, now).length).toBeLessThanOrEqual(expected.length + 2)
  })

  test("in a tool more, less, or in another place", () => {
    const [one, both] = [[tool("a")], [tool("a"), tool("b")]]
    expect(marked({ tools: one }, { tools: both })).toContain('+  "name": "b",')
    expect(marked({ tools: both }, { tools: one })).toContain('-  "name": "b",')
    expect(marked({ tools: both }, { tools: both.toReversed() })).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\+.*"name"/u), expect.stringMatching(/^-.*"name"/u)]),
    )
  })

  test("in lines, each shown between some that are alike, without the others", () => {
    const all = lines(90)
    const now = all.with(29, "line thirty").with(69, "line seventy")
    const difference = differ({ messages: [says(all.join("\n"))] }, { messages: [says(now.join("\n"))] })
    expect(difference.split("\n")[0]).toBe("+ now - recorded")
    expect(texts(all.join("\n"), now.join("\n"))).toEqual(["+line thirty", "-line 30", "+line seventy", "-line 70"])
    expect(difference).toContain("line 29")
    expect(difference).toContain("line 31")
    expect(difference).not.toContain("line 50")
  })

  test.each<[string, string, string, string]>([
    ["a b", "a  b", "a b", "a  b"],
    ["a", "a ", "a", "a "],
    ["a\u200bb", "ab", "a\\\\u200bb", "ab"],
    ["a\tb", "a b", "a\\\\u0009b", "a b"],
    ["a\u00a0b", "a b", "a\\\\u00a0b", "a b"],
    ["a\u001b[31mb", "ac", "a\\\\u001b[31mb", "ac"],
    ["a\u2028b", "ac", "a\\\\u2028b", "ac"],
    ["a\ud800", "b", "a\\\\ud800", "b"],
  ])("in what nobody sees: %j and %j", (was, is, minus, plus) => {
    expect(texts(was, is).toSorted()).toEqual([`+${plus}`, `-${minus}`])
  })

  test("in a sentence of a long line, and the others are not printed with it", () => {
    const sentences = lines(30, "This is sentence").map((words) => `${words}.`)
    const was = sentences.join(" ")
    expect(texts(was, was.replace("sentence 20", "sentence twenty"))).toEqual([
      "+   This is sentence twenty.",
      "-   This is sentence 20.",
    ])
    const chinese = lines(30, "这是第").map((words) => `${words}句话。`)
    expect(texts(chinese.join(""), chinese.with(19, "另一句话！").join(""))).toEqual(["+  另一句话！", "-  这是第 20句话。"])
  })

  test("in so much that only the beginning is told", () => {
    const difference = differ({ messages: [says(lines(3_000, "was").join("\n"))] }, { messages: [says(lines(3_000).join("\n"))] })
    expect(difference.length).toBeLessThanOrEqual(20_002)
    expect(difference).toMatch(/\n…$/u)
  })
})
