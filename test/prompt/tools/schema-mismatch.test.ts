import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { schemaMismatch } from "../../../src/prompt/tools/schema-mismatch.ts"

describe("output checks", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "integer" },
      list: { type: "array", items: { $ref: "#/$defs/item" } },
      kind: { enum: ["a", "b"] },
      fixed: { const: "a" },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["n"],
    additionalProperties: false,
    $defs: { item: { type: "object", required: ["x"] } },
  }
  test.each([
    [{ n: 1 }, undefined],
    [{ n: 1, list: [{ x: 1 }], kind: "a", either: null }, undefined],
    [{}, "it: n is missing"],
    [{ n: 1.5 }, "n: expected integer, found number"],
    [{ n: 1, list: [{ x: 1 }, {}] }, "list[1]: x is missing"],
    [{ n: 1, kind: "c" }, "kind: found another value than those it may have"],
    [{ n: 1, fixed: "a" }, undefined],
    [{ n: 1, fixed: "b" }, "fixed: found another value than those it may have"],
    [{ n: 1, either: 3 }, "either: fits no option of anyOf"],
    [{ n: 1, more: 1 }, "more: nothing is expected here"],
    [[], "it: expected object, found array"],
  ])("%j: %s", (value, expected) => {
    expect(schemaMismatch(schema, value)).toBe(expected)
  })

  test("schemas that would take for ever are given up, on any value", () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`d${n}`, { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] }]),
    )
    expect(schemaMismatch({ $ref: "#/$defs/d0", $defs: doubling }, {})).toBeUndefined()
    expect(schemaMismatch({ $ref: "#" }, {})).toBeUndefined()
    fc.assert(fc.property(fc.object(), fc.jsonValue(), (any, value) => void schemaMismatch(any, value)))
  })
})
