import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { normaliseResult } from "../../src/tools/normalise-result.ts"

describe("normaliseResult", () => {
  test.each<[string, unknown, string]>([
    ["a string", " as it is\n", " as it is\n"],
    ["nothing", undefined, ""],
    ["null", null, ""],
    ["a function", () => 1, ""],
    ["a number", 42, "42"],
    ["a bigint", 42n, "42"],
    ["an object, in its own order", { b: 1, a: ["x"] }, '{"b":1,"a":["x"]}'],
    ["an empty list", [], "[]"],
    [
      "MCP text parts",
      {
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      "one\ntwo",
    ],
    [
      "an MCP image without its data",
      { content: [{ type: "image", mimeType: "image/png", data: "AAAA" }] },
      '{"type":"image","mimeType":"image/png"}',
    ],
    ["an MCP resource", { content: [{ type: "resource", resource: { uri: "a:b", text: "words" } }] }, "words"],
    [
      "an MCP blob without its data",
      { content: [{ type: "resource", resource: { uri: "a:b", blob: "AAAA" } }] },
      '{"type":"resource","resource":{"uri":"a:b"}}',
    ],
    ["no MCP parts", { content: [] }, ""],
    ["MCP structured content alone", { content: [], structuredContent: { a: 1 } }, '{"content":[],"structuredContent":{"a":1}}'],
    ["content that is not MCP's", { content: ["a", 1] }, '{"content":["a",1]}'],
  ])("reads %s", (_name, value, text) => expect(normaliseResult(value)).toBe(text))

  test("makes text of anything and never throws", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true }), (value) => {
        expect(typeof normaliseResult(value)).toBe("string")
      }),
    )
  })

  test("survives values that refuse to be looked at", () => {
    const refuse = () => {
      throw new Error("no")
    }
    expect(normaliseResult(new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse }))).toBe(
      '"[unreadable]"',
    )
  })
})
