import { describe, expect, test } from "vitest"
import { readDecision } from "../../src/reply/decision-reader.ts"
import { maxRepairCharacters } from "../../src/reply/json/repair-json.ts"
import { faultsOf, readPieces } from "./readings.ts"

const toolText = '{"action":"tool","tool":"weather","args":{"city":"北京"}}'

const unreadable: readonly {
  readonly name: string
  readonly text: string
  readonly decision: { readonly kind: string; readonly status: string }
}[] = [
  { name: "nothing", text: " \n", decision: { kind: "empty", status: "malformed" } },
  {
    name: "an unfinished thought alone",
    text: '<think>{"action":"finish","message":"no"}',
    decision: { kind: "empty", status: "truncated" },
  },
  {
    name: "a call cut off in its arguments",
    text: '{"action":"tool","tool":"weather","args":{"city":"北',
    decision: { kind: "unterminated", status: "truncated" },
  },
  {
    name: "a call cut off after an argument",
    text: '{"action":"tool","tool":"weather","args":{"city":"北京"',
    decision: { kind: "unterminated", status: "truncated" },
  },
  {
    name: "a call cut off before its arguments",
    text: '{"action":"tool","tool":"weather"',
    decision: { kind: "unterminated", status: "truncated" },
  },
  {
    name: "a call cut off inside its tool's name",
    text: '{"action":"tool","args":{},"tool":"wea',
    decision: { kind: "unterminated", status: "truncated" },
  },
  {
    name: "a call cut off behind an alias",
    text: '{"action":"tool","tool":"weather","input":{},"args":{"city"',
    decision: { kind: "unterminated", status: "truncated" },
  },
  {
    name: "a broken call cut off",
    text: "{'action':'tool','tool':'weather','args':{'city':'北",
    decision: { kind: "unterminated", status: "truncated" },
  },
  {
    name: "a call cut off after an example",
    text: `{"a":${toolText}} {"tool":"x","args":{}`,
    decision: { kind: "unterminated", status: "truncated" },
  },
  {
    name: "a broken call that ends before its last brace",
    text: '{"action":"tool","tool":"t","args":{"q":"say "hi" }}"}}',
    decision: { kind: "not-json", status: "malformed" },
  },
  {
    name: "a message before an action that never came",
    text: '{"message":"hello"',
    decision: { kind: "unterminated", status: "truncated" },
  },
  { name: "an object without an action", text: 'x {"tool":"weather"}', decision: { kind: "no-action", status: "malformed" } },
  { name: "an unknown action", text: '{"action":"dance"}', decision: { kind: "unknown-action", status: "malformed" } },
  { name: "an action that is no word", text: '{"action":["tool"]}', decision: { kind: "unknown-action", status: "malformed" } },
  {
    name: "an unknown action before a known one",
    text: `{"action":"weather"} ${toolText}`,
    decision: { kind: "unknown-action", status: "malformed" },
  },
  { name: "a call without a tool", text: '{"action":"tool","args":{}}', decision: { kind: "no-tool", status: "malformed" } },
  {
    name: "a call of a blank tool",
    text: '{"action":"tool","tool":" ","args":{}}',
    decision: { kind: "no-tool", status: "malformed" },
  },
  {
    name: "a message that is an object",
    text: '{"action":"finish","message":{"text":"no"}}',
    decision: { kind: "message-not-text", status: "malformed" },
  },
  { name: "prose with a brace", text: "你好 {笑}", decision: { kind: "not-json", status: "malformed" } },
  { name: "garbage", text: '{"":::{]', decision: { kind: "unterminated", status: "truncated" } },
  {
    name: "a wrapper too deep to look into",
    text: `${'{"a":'.repeat(300)}${toolText}${"}".repeat(300)}`,
    decision: { kind: "no-action", status: "malformed" },
  },
  {
    name: "objects inside one another, a million deep",
    text: '{"action":'.repeat(1_000_000),
    decision: { kind: "unterminated", status: "truncated" },
  },
  {
    name: "a broken object too long to repair, with words behind it",
    text: `{action:"finish",message:"${"x".repeat(maxRepairCharacters)}"} and that is all.`,
    decision: { kind: "not-json", status: "malformed" },
  },
  {
    name: "a broken output too long to repair",
    text: `{action:"finish",message:"${"x".repeat(maxRepairCharacters)}"}`,
    decision: { kind: "not-json", status: "malformed" },
  },
]

describe("output that cannot be read", () => {
  test.each(unreadable)("T21 shows nothing of $name", ({ text, decision }) => {
    const reading = readPieces([text])
    const found = reading.decision
    expect(faultsOf(reading)).toEqual([])
    expect(reading.message).toBe("")
    expect(found?.action === "unreadable" ? { kind: found.fault.kind, status: found.status } : found).toEqual(decision)
  })

  test("a fault says where and quotes at most 80 characters around, whole ones", () => {
    const prose = "😀".repeat(100)
    const decision = readDecision(`<think>no</think>${prose}{"action":"dance"}${prose}`)
    expect(decision).toMatchObject({ fault: { at: 200 } })
    const excerpt = decision.action === "unreadable" ? decision.fault.excerpt : ""
    expect(excerpt).toContain('😀{"action":"dance"}😀')
    expect(excerpt.length).toBeLessThanOrEqual(80)
    expect(excerpt.isWellFormed()).toBe(true)
    const atEnd = readDecision(`${"x".repeat(100)}{"action":"dance"}`)
    expect(atEnd.action === "unreadable" && atEnd.fault.excerpt).toBe(`${"x".repeat(62)}{"action":"dance"}`)
  })
})

describe("T21: output that is nearly JSON, at the edges of what is understood", () => {
  test.each([
    ["a number between a member and a colon", "｛ “action” ： “finish” 9 ： ： “好”", "unterminated"],
    ["a comment that touches a bare word", "{action:tool/* c */,tool:t,args:{a:some words,b:5}}", "not-json"],
    ["an apostrophe in a bare word behind a number", `"a" : { "action" : 1 it's , "message" : "x" } ;`, "unknown-action"],
    ["a brace too many behind a comma", '{"action":"tool","tool":"t","args":{"a":{"b":1},"c":2}},}', "not-json"],
    ["a comment that touches a quote, and a member without a name", '{"a":{"action":"finish"# c\n,:"x"}}', "unknown-action"],
    ["a colon too many before a quote that does not end", '{""::’}', "unterminated"],
    ["a finish without its brace and without a message", '"action":"finish","note":"x"}', "not-json"],
    ["a blank action without its brace", '"action":""', "not-json"],
    ["a hash that begins a name", "{#g:", "unterminated"],
    [
      "a call in braces twice whose last argument may be too long",
      '{{"action":"tool","tool":"t","args":{"a":{"b":1,"c":2}}}',
      "not-json",
    ],
    ["a blank action before other words", '{"action":""},e:', "unknown-action"],
    ["a quote behind a letter in quotes", "{action:'e'x}'", "unterminated"],
    ["a hash that touches a quote, and is no comment", '"action":"finish""message":"m"#', "not-json"],
  ])("%s is no decision, and the fault says why", (_, text, kind) => {
    expect(readDecision(text)).toMatchObject({ action: "unreadable", fault: { kind } })
  })

  test("a call in braces twice, with a comment before a colon, is a call", () => {
    const call = "{{'action':'tool','tool':'t','args'// c\n:{'a':'it is','b':True}}"
    expect(readDecision(call)).toMatchObject({ action: "tool", tool: "t", args: { a: "it is", b: true }, status: "repaired" })
  })

  test("words behind a message whose object does not end show that it was cut", () => {
    const text = '{"action":"finish","message":"say \\"x\\" ok" tail~~~@'
    expect(readDecision(text)).toMatchObject({ action: "finish", message: 'say "x" ok', status: "truncated" })
  })

  test("a name whose quote stands behind an escaped backslash ends no message for sure", () => {
    const text = '{"action":"finish","message":"x", "n\\\\"ote": "y"}'
    expect(readDecision(text)).toMatchObject({ action: "finish", message: "x", status: "truncated" })
  })

  test.each([
    ["a backtick", " `"],
    ["a comma, and a name that is no name", ',"\\!"}'],
    ["a comma and a quote at the end of a line", ',"\n'],
  ])("%s behind a message does not tell if it ended", (_, tail) => {
    const text = `{"action":"finish","message":"hi"${tail}`
    expect(readDecision(text)).toMatchObject({ action: "finish", message: "hi", status: "truncated" })
  })

  test("several plain arguments cannot end in an object too long", () => {
    const text = "{{'action':'tool','tool':'t','args':{'a':[],'n':1}}"
    expect(readDecision(text)).toMatchObject({ action: "tool", args: { a: [], n: 1 }, status: "repaired" })
  })

  test("an output written as one string is read without its opening brace too", () => {
    const text = JSON.stringify('"action":"finish","message":"x"}')
    expect(readDecision(text)).toMatchObject({ action: "finish", message: "x", status: "repaired" })
  })

  test.each(['{"action":""/*', '`<think>{"`"'])("the fault of %s is at its end, and quotes it as it is", (text) => {
    const fault = { kind: "unterminated", at: text.length, excerpt: text }
    expect(readDecision(text)).toMatchObject({ action: "unreadable", fault })
  })

  test("a sign that could begin a thought stands before the brace behind it", () => {
    expect(readDecision("<｛")).toMatchObject({ fault: { kind: "not-json", at: 1, excerpt: "<｛" } })
  })

  test("read strictly, a colon behind a number is the place of the fault", () => {
    const fault = { kind: "not-json", at: 6 }
    expect(readDecision('{"a":7:{"action":"finish"', { strict: true })).toMatchObject({ action: "unreadable", fault })
  })
})
