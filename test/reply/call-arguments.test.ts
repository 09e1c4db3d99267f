import { describe, expect, test } from "vitest"
import { maxDepth } from "../../src/core/json-access.ts"
import { readDecision } from "../../src/reply/decision-reader.ts"

const call = (members: string) => readDecision(`{"action":"tool",${members}}`)

describe("a call's arguments", () => {
  test.each([
    { name: "as asked", members: '"tool":"t","args":{"a":1}', args: { a: 1 }, status: "complete" },
    { name: "none", members: '"tool":"t"', args: {}, status: "complete" },
    { name: "null", members: '"tool":"t","args":null', args: {}, status: "repaired" },
    { name: "an empty list", members: '"tool":"t","args":[]', args: {}, status: "repaired" },
    { name: "blank text", members: '"tool":"t","args":" "', args: {}, status: "repaired" },
    { name: "an object as text", members: '"tool":"t","args":"{\\"a\\":\\"b\\"}"', args: { a: "b" }, status: "repaired" },
    { name: "as arguments", members: '"tool":"t","arguments":{"a":1}', args: { a: 1 }, status: "repaired" },
    { name: "as parameters", members: '"tool":"t","parameters":{"a":1}', args: { a: 1 }, status: "repaired" },
    { name: "as input", members: '"tool":"t","input":{"a":1}', args: { a: 1 }, status: "repaired" },
    {
      name: "args rather than an alias",
      members: '"input":{"a":2},"tool":"t","args":{"a":1}',
      args: { a: 1 },
      status: "complete",
    },
    { name: "of a tool called name", members: '"name":"t","args":{"a":1}', args: { a: 1 }, status: "repaired" },
    { name: "of a tool with white space around it", members: '"tool":" t ","args":{"a":1}', args: { a: 1 }, status: "repaired" },
    { name: "with a raw line break", members: '"tool":"t","args":{"a":"b\n\tc"}', args: { a: "b\n\tc" }, status: "repaired" },
  ])("T21: $name", ({ members, args, status }) => {
    expect(call(members)).toEqual({ action: "tool", tool: "t", args, status })
  })

  test.each([
    ["among the arguments", '"tool":"t","args":{"a":1,"a":2}', "a"],
    ["further in", '"tool":"t","args":{"a":1,"b":[0,{"c":1,"c":2}]}', "c"],
    ["among the members", '"tool":"t","args":{"a":1},"args":{}', "args"],
    ["in arguments as text", '"tool":"t","args":"{\\"a\\":1,\\"a\\":2}"', "a"],
    ["in an object that is repaired", '"tool":"t","args":{a:1,a:2}', "a"],
  ])("T21: of a name that stands twice %s the first counts, which is told", (_, members, repeatedName) => {
    expect(call(members)).toMatchObject({ args: { a: 1 }, repeatedName })
  })

  test.each([
    ["a list", "[1]"],
    ["a number", "1"],
    ["a flag", "false"],
    ["words", '"Beijing"'],
    ["text cut short", '"{\\"a\\":\\"b"'],
    ["text that would need repair", '"{a:1}"'],
    ["a list as text", '"[1]"'],
  ])("T21: %s is no object", (_, args) => {
    expect(call(`"tool":"t","args":${args}`)).toMatchObject({ action: "unreadable", fault: { kind: "args-not-object" } })
  })

  test("__proto__ is an argument like any other and touches no prototype", () => {
    const decision = call('"tool":"t","args":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
    const args = decision.action === "tool" ? decision.args : {}
    expect(Object.keys(args)).toEqual(["__proto__", "constructor"])
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype)
    expect(args).not.toHaveProperty("polluted")
    expect({}).not.toHaveProperty("polluted")
    expect(readDecision('{"__proto__":{"action":"finish"},"action":"tool","tool":"t"}')).toMatchObject({ action: "tool" })
    expect(
      readDecision("{__proto__: {action: 'finish'}, action: 'tool', tool: 't', args: {__proto__: {polluted: 1}}}"),
    ).toMatchObject({ tool: "t" })
    expect({}).not.toHaveProperty("polluted")
  })

  test("nesting is bounded: deeper arguments are refused, and the deepest allowed can be printed", () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`
    expect(JSON.stringify(call(`"tool":"t","args":${nested(maxDepth)}`))).toContain(nested(maxDepth))
    for (const depth of [maxDepth + 1, 100_000]) {
      expect(call(`"tool":"t","args":${nested(depth)}`)).toMatchObject({ action: "unreadable", fault: { kind: "too-deep" } })
    }
    expect(call(`"tool":"t","args":${JSON.stringify(nested(100_000))}`)).toMatchObject({ fault: { kind: "too-deep" } })
    expect(call(`"tool":"t","args":{},"other":${nested(100_000)}`)).toMatchObject({ action: "tool", status: "complete" })
  })
})
