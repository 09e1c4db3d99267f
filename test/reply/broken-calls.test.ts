import { describe, expect, test } from "vitest"
import { readDecision } from "../../src/reply/decision-reader.ts"
import { readPieces } from "./readings.ts"

const call = { action: "tool", tool: "t", args: { a: "x", b: 2 }, status: "repaired" }
const args = '{"a":"x","b":2}'

describe("a broken call", () => {
  test.each([
    ["full-width punctuation", "｛＂action＂：＂tool＂，＂tool＂：＂t＂，＂args＂：｛＂a＂：＂x＂，＂b＂：2｝｝"],
    ["full-width colons", '{"action"："tool"，"tool"："t"，"args"：{"a"："x"，"b"：2}}'],
    ["comments before everything", '{ // "so"\n # and so\n "action": "tool", "tool": "t", "args": {"a": "x" /* {y} */, "b": 2}}'],
    ["a comment before its first colon", `{action // so\n: "tool", tool: "t", args: ${args}}`],
    ["doubled braces", `{{"action":"tool","tool":"t","args":{${args}}}}`],
    ["no first brace", `"action":"tool","tool":"t","args":${args}}`],
    ["no first brace, in a fence and prose", `So:\n\`\`\`json\n"tool":"t","args":${args},"action":"tool"}\n\`\`\``],
    ["no first brace, before another object", `"action":"tool","tool":"t","args":${args}} {"action":"finish","message":"NO"}`],
    ["no last brace, before another object", `{"action":"tool","tool":"t","args":${args} {"action":"finish","message":"NO"}`],
    ["no last brace, before a fence and words", `{action:"tool","tool":"t","args":${args}\n\`\`\`\nThat is it.`],
    ["a wrapper that is broken, too", `{decision: {action: 'tool', tool: 't', args: ${args}}}`],
    ["a list around it", `[{'action':'tool','tool':'t','args':${args},},]`],
    ["its text as a string", JSON.stringify(`{'action':'tool',"tool":"t","args":${args}}`)],
  ])("T21: with %s is read", (_, text) => {
    expect(readPieces([...text])).toMatchObject({ decision: call, message: "" })
  })

  test.each([
    ["one brace too many among its arguments", '{"action":"tool","tool":"t","args":{"a":"x"},"b":2}}'],
    ["one brace too many before them", `{"action":"tool","tool":"t"},"args":${args}}`],
    ["one brace too many, and curly quotes", `{“action”:“tool”,“tool”:“t”},“args”:${args}}`],
    ["one brace too many, somewhere", '{"action":"tool","tool":"t","args":{"a":{"c":1},"b":2}}}'],
    ["one brace too few, somewhere", '{"action":"tool","tool":"t","args":{"a":{"c":1,"b":2}}'],
    ["two braces too few", `{action:"tool","tool":"t","args":{"a":"x"`],
    ["a member where its arguments were cut off", '{"action":"tool","tool":"t","args":{"a":"x"},"b":2'],
    ["a value that was not written", '{"action":"tool","tool":"t","args":{"a":,"b":2}}'],
    ["a string without an end", '{"action":"tool","tool":"t","args":{"a":"x,"b":2}}'],
    ["arguments cut off before another decision", '{"action":"tool","tool":"t","args":{"action":"finish","message":"NO"}'],
    [
      "a broken decision before a whole one",
      '{"action":"tool","tool":"t","args":{"a":"x,"b":2}} {"action":"finish","message":"NO"}',
    ],
    ["its first name unclosed, before a whole one", '{"action:"tool","tool":"t"} {"action":"finish","message":"NO"}'],
    ["no colon after its first name, before a whole one", '{"action" "tool","tool":"t"} {"action":"finish","message":"NO"}'],
    ["its action torn off, before a whole one", '{"tool":"t"},"action":"tool"} {"action":"finish","message":"NO"}'],
    ["full-width punctuation and no colon", "｛＂action＂ ＂tool＂，＂tool＂：＂t＂｝"],
    ["a list's bracket written twice", '{"action":"tool","tool":"t","args":{"a":[["x","y"]}}'],
    ["two numbers without a comma", '{"action":"tool","tool":"t","args":{"a":[0.80.7]}}'],
    ["two numbers without a comma, one of them negative", '{"action":"tool","tool":"t","args":{"a":[33.4-112]}}'],
    ["a brace for the comma before its arguments", `{"action":"tool","tool":"t"}"args":${args}}`],
    ["a brace for the quote before its arguments", `{"action":"tool","tool":"t",}args":${args}}`],
    ["no brace and no colon", '"action" "tool", "tool":"t"}'],
  ])("T21: with %s is not guessed, and nothing is shown", (_, text) => {
    expect(readPieces([...text])).toMatchObject({ decision: { action: "unreadable" }, message: "" })
  })

  test("T21: words that speak of braces, colons and actions are words", () => {
    for (const words of ["｛笑｝你好", "Tool: none. Action: wait!", 'He cried "action" twice.', "message: hi"]) {
      expect(readDecision(words)).toEqual({ action: "finish", message: words, status: "plain-text" })
    }
  })

  test("T21: a whole call with a brace too many after it, or members of its own, is read", () => {
    expect(readDecision(`{"action":"tool","tool":"t","args":${args}}}`)).toEqual({ ...call, status: "complete" })
    expect(readDecision(`{"action":"tool","tool":"t","args":${args},"why":"so"}`)).toEqual({ ...call, status: "complete" })
    expect(readDecision(`{"action":"tool","tool":"t","args":${args}}, and then we see`)).toEqual({ ...call, status: "complete" })
  })

  test("T21: with a brace too many behind it is read only if that brace could have cut none of its objects", () => {
    type Value = number | readonly Value[] | { readonly [name: string]: Value }
    const small: readonly Value[] = [1, {}, [1], [{}], { c: 1 }, { c: {} }, { c: 1, d: {} }, { c: {}, d: 1 }, [{ c: {}, d: 1 }]]
    const args = small.flatMap((value): readonly Value[] => [
      { a: value },
      { a: value, b: 1 },
      { b: 1, a: value },
      { a: { e: value } },
      { a: [value] },
      { a: [[1, value]], b: 1 },
      { b: 1, a: { e: value, f: 2 } },
    ])
    const isObject = (value: Value) => typeof value === "object" && !Array.isArray(value)
    /** True if an object stands before another member of an object. */
    const mayBeCut = (value: Value): boolean => {
      const inner = typeof value === "object" ? Object.values(value) : []
      return (isObject(value) && inner.slice(0, -1).some(isObject)) || inner.some(mayBeCut)
    }
    const read = (value: Value) => readDecision(`{"action":"tool","tool":"t","args":${JSON.stringify(value)}}}`)
    for (const value of args) {
      const whole = { action: "tool", tool: "t", args: value, status: "complete" }
      const expected = mayBeCut(value) ? { action: "unreadable" } : whole
      expect(read(value), JSON.stringify(value)).toMatchObject(expected)
    }
    expect(new Set(args.map(mayBeCut))).toEqual(new Set([true, false]))
  })
})
