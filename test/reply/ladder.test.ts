import { describe, expect, test } from "vitest"
import type { Decision } from "../../src/reply/decision.ts"
import { readDecision } from "../../src/reply/decision-reader.ts"
import { readPieces } from "./readings.ts"

const finish = (message: string, status: Decision["status"] = "complete") => ({ action: "finish", message, status })
const call = (status: Decision["status"] = "complete") => ({ action: "tool", tool: "weather", args: { city: "北京" }, status })
const toolText = '{"action":"tool","tool":"weather","args":{"city":"北京"}}'

interface Case {
  readonly name: string
  readonly text: string
  readonly decision: unknown
}

const accepted: readonly Case[] = [
  { name: "a bare object", text: toolText, decision: call() },
  { name: "white space around it", text: ` \n${toolText}\r\n`, decision: call() },
  { name: "a code fence", text: `\`\`\`json\n${toolText}\n\`\`\``, decision: call() },
  { name: "a fence inside prose", text: `好的，我来查：\n\`\`\`json\n${toolText}\n\`\`\`\n完成`, decision: call() },
  { name: "prose around it", text: `Let me see. ${toolText} Done.`, decision: call() },
  { name: "a list of decisions: the first", text: `[${toolText},{"action":"finish","message":"no"}]`, decision: call() },
  { name: "several decisions: the first", text: `${toolText}\n{"action":"finish","message":"no"}`, decision: call() },
  {
    name: "an object without an action before it",
    text: `例如 {"city":"x"} ……{"action":"finish","message":"好"}`,
    decision: finish("好"),
  },
  { name: "a placeholder before it", text: `Reply as {name}: {"action":"finish","message":"ok"}`, decision: finish("ok") },
  {
    name: "an object that is no JSON before it",
    text: `{city: {"action":"tool"}} {"action":"finish","message":"ok"}`,
    decision: finish("ok"),
  },
  { name: "a lone brace before it", text: `:{ 或者 { "x" {"action":"finish","message":"ok"}`, decision: finish("ok") },
  {
    name: "an object with an action inside one without",
    text: `{"a":{"action":"tool"}} {"action":"finish","message":"ok"}`,
    decision: finish("ok"),
  },
  {
    name: "white space and escapes in the keys",
    text: '{ "\\u0061ction" :\n"finish" , "message" : "ok" }',
    decision: finish("ok"),
  },
  {
    name: "an object as a string's words",
    text: '{"action":"finish","message":"{\\"action\\":\\"tool\\"}"}',
    decision: finish('{"action":"tool"}'),
  },
  { name: "a finish without a message", text: '{"action":"finish"}', decision: { action: "finish", status: "complete" } },
]

const repaired: readonly Case[] = [
  { name: "single quotes", text: "{'action':'tool','tool':'weather','args':{'city':'北京'}}", decision: call("repaired") },
  {
    name: "bare keys and trailing commas",
    text: '{action: "tool", tool: "weather", args: {city: "北京",},}',
    decision: call("repaired"),
  },
  { name: "missing commas", text: '{"action":"tool" "tool":"weather" "args":{"city":"北京"}}', decision: call("repaired") },
  { name: "curly quotes", text: "{“action”: “tool”, “tool”: “weather”, “args”: {“city”: “北京”}}", decision: call("repaired") },
  { name: "a comment", text: `{ // the call\n"action":"finish","message":"ok"}`, decision: finish("ok", "repaired") },
  {
    name: "Python's words",
    text: `{"action":"tool","tool":"weather","args":{"city":"北京"},"x":None}`,
    decision: call("repaired"),
  },
  {
    name: "unescaped quotes before the action",
    text: '{"message":"他说"好"。","action":"finish"}',
    decision: finish('他说"好"。', "repaired"),
  },
  {
    name: "a repaired call before a later answer",
    text: `{action: "tool", tool: "weather", args: {"city":"北京"}} {"action":"finish","message":"no"}`,
    decision: call("repaired"),
  },
  {
    name: "what only looks like a decision before one",
    text: `{name: action} {"action":"finish","message":"ok"}`,
    decision: finish("ok"),
  },
  { name: "a wrapper", text: `{"decision":${toolText}}`, decision: call("repaired") },
  { name: "a wrapper in lists", text: `{"steps":[[1,{"x":[${toolText}]}]]}`, decision: call("repaired") },
  {
    name: "an object that was written as a string",
    text: JSON.stringify('{"action":"finish","message":"ok"}'),
    decision: finish("ok", "repaired"),
  },
  { name: "only the last brace missing", text: toolText.slice(0, -1), decision: call("repaired") },
  { name: "everything after the message missing", text: '{"action":"finish","message":"ok"', decision: finish("ok", "repaired") },
  {
    name: "an object broken after the message",
    text: '{"action":"finish","message":"ok",,"note":',
    decision: finish("ok", "repaired"),
  },
  { name: "an action in other letters", text: '{"action":" Finish","message":"ok"}', decision: finish("ok", "repaired") },
]

const words: readonly Case[] = [
  { name: "words", text: " 你好，主人！\n", decision: finish("你好，主人！", "plain-text") },
  { name: "words with half a pair", text: "a\uD83D", decision: finish("a\uFFFD", "plain-text") },
  { name: "words after a thought", text: "<think>{</think>\n\nHi }", decision: finish("Hi }", "plain-text") },
]

describe("the ladder", () => {
  test.each(accepted)("T21 accepts $name", ({ text, decision }) => {
    expect(readDecision(text)).toEqual(decision)
  })

  test.each(repaired)("T21 understands $name", ({ text, decision }) => {
    expect(readDecision(text)).toEqual(decision)
  })

  test.each(words)("T21 takes $name for an answer, delivered once and at its end", ({ text, decision }) => {
    const { deltas, ...reading } = readPieces([...text])
    expect(reading.decision).toEqual(decision)
    expect(deltas).toEqual([reading.message])
  })

  test("T21: once a character was shown the message ends there, truncated", () => {
    for (const text of [
      '{"action":"finish","message":"hel',
      '{"action":"finish","message":"hel\\u00',
      '{"action":"finish","message":"hel\\',
    ]) {
      expect(readDecision(text)).toEqual(finish("hel", "truncated"))
    }
    expect(readDecision('{"action":"finish","message":"  ')).toEqual({ action: "finish", status: "truncated" })
    expect(readDecision('{"action":"finish","mess')).toEqual({ action: "finish", status: "truncated" })
  })

  test("T14: a blank message is none, and the note stays", () => {
    const none = { action: "finish", note: "be kind", status: "complete" }
    expect(readDecision('{"action":"finish","message":" \\n\\u3000","note":"be kind"}')).toEqual(none)
    expect(readDecision('{"note":"be kind","message":null,"action":"finish"}')).toEqual(none)
    expect(readDecision('{"action":"finish","message":"a","note":" "}')).toEqual(finish("a"))
  })

  test("a message that is a number or a flag is its text, as written", () => {
    expect(readDecision('{"action":"finish","message":12345678901234567890}')).toEqual(finish("12345678901234567890", "repaired"))
    expect(readPieces(['{"message":true,"action":"finish"}']).message).toBe("true")
  })
})
