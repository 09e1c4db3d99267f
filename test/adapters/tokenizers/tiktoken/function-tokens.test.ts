import { describe, expect, test } from "vitest"
import { chatOverhead, functionTokens } from "../../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"

/** Every character is a token. */
const count = (text: string): number => text.length
const tokens = (parameters: object, description = "", encoding: "o200k_base" | "cl100k_base" = "o200k_base") =>
  functionTokens([{ name: "f", description, parameters: parameters as Readonly<Record<string, unknown>> }], encoding, count)
/** What a function of one letter has without parameters: 12 behind all, 7 for itself, and `f:`. */
const bare = 12 + 7 + 2
/** What one property adds beside its line: 3 for all properties, and 3 for itself. */
const own = 3 + 3

describe("tokens of a native function", () => {
  test.each<[string, string, number]>([
    ["no description", "", bare],
    ["a description", "Say it", bare + 6],
    ["one stop at the end of the description, which does not count", "Say it.", bare + 6],
    ["two stops", "Say it..", bare + 7],
    ["a stop alone", ".", bare],
    ["a stop inside", "e.g. it", bare + 7],
  ])("with %s", (_, description, expected) => {
    expect(tokens({}, description)).toBe(expected)
    expect(tokens({}, description, "cl100k_base")).toBe(expected + 3)
  })

  test.each<[string, unknown, number]>([
    ["a type", { type: "string" }, "p:string:".length],
    ["no type", {}, 'p:"":'.length],
    ["several types", { type: ["string", "null"] }, 'p:["string","null"]:'.length],
    ["no schema", true, 'p:"":'.length],
    ["a description", { type: "string", description: "Where." }, "p:string:Where".length],
    ["a description that is none", { type: "string", description: 5 }, "p:string:".length],
    ["an enum, of which each value has 3 but all 3 fewer", { type: "string", enum: ["a", "bcd"] }, "p:string:".length + 3 + 4],
    ["an enum of one number", { type: "number", enum: [12] }, "p:number:".length + 2],
    ["an empty enum", { type: "string", enum: [] }, "p:string:".length],
    ["more than flat schemas have", { type: "string", minLength: 1 }, "p:string:".length + '{"minLength":1}'.length],
  ])("with a property of %s", (_, schema, line) => {
    expect(tokens({ properties: { p: schema } })).toBe(bare + own + line)
    // The 3 of all properties stand once.
    expect(tokens({ properties: { p: schema, q: schema } })).toBe(bare + own + 2 * line + 3)
  })

  test("and others are those of each, behind which all have 12", () => {
    const tools = [1, 2, 3].map((at) => ({ name: "f".repeat(at), description: "", parameters: {} }))
    expect(functionTokens([], "o200k_base", count)).toBe(0)
    expect(functionTokens(tools, "o200k_base", count)).toBe(12 + 3 * 7 + 2 + 3 + 4)
    expect(tokens({ properties: {} })).toBe(bare)
    expect(tokens({ properties: "none" })).toBe(bare)
  })
})

test("a chat has 3 tokens, and each message 3 and those of its role", () => {
  const roles = ["user", "assistant", "user", "user"]
  expect(chatOverhead([], count)).toBe(3)
  expect(
    chatOverhead(
      roles.map((role) => ({ role })),
      count,
    ),
  ).toBe(3 + 4 * 3 + 3 * "user".length + "assistant".length)
})
