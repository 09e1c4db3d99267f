import { describe, expect, test } from "vitest"
import { nearTimeZones } from "../../../src/node/builtin-tools.ts"
import { evaluateExpression } from "../../../src/prompt/tools/builtin/calculate.ts"
import { normaliseResult } from "../../../src/prompt/tools/execute-tool.ts"
import { printDefault, printOtherProperties, printSchemaType } from "../../../src/prompt/tools/print-schema-type.ts"
import type { JsonSchema } from "../../../src/prompt/tools/tool.ts"

const text = { type: "string" }
const whole = { type: "integer" }
const defs = {
  node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, value: text } },
  page: { type: "integer", description: "the page", default: 1, minimum: 1 },
  same: { $ref: "#/$defs/same" },
}
const nested = (depth: number): object => (depth === 0 ? text : { type: "object", properties: { a: nested(depth - 1) } })

const schemas: readonly unknown[] = [
  ...[
    true,
    false,
    null,
    7,
    [],
    {},
    { type: [] },
    { type: [1, "string"] },
    { type: ["string", "null", "string"] },
    { type: "odd" },
  ],
  ...[{ type: "string", nullable: true }, { nullable: true }, { type: "null", nullable: true }, { type: "boolean", minimum: 1 }],
  ...[
    { const: "a" },
    { const: "1" },
    { const: null },
    { const: { a: 1 } },
    { const: " a" },
    { const: "a|b" },
    { const: "a\nb" },
    { const: "" },
  ],
  ...[{ enum: ["a", "b", "a"] }, { enum: ["true", true, 1.5, "-2e3"] }, { enum: [] }, { enum: [1n] }],
  ...[
    { ...text, format: "date" },
    { ...text, pattern: "^a", minLength: 1 },
    { ...text, format: "date", pattern: "^a" },
    { ...text, format: " " },
  ],
  ...[
    { ...text, maxLength: 5 },
    { ...text, minLength: 2, maxLength: 2 },
    { ...text, minLength: 1, maxLength: 3 },
    { ...text, minimum: 3 },
  ],
  ...[
    { ...whole, minimum: 0, maximum: 10 },
    { ...whole, minimum: 1 },
    { ...whole, maximum: -1 },
    { ...whole, exclusiveMinimum: 0, exclusiveMaximum: 9 },
  ],
  ...[
    { type: "number", multipleOf: 5, minimum: 0 },
    { ...whole, maximum: Number.MAX_SAFE_INTEGER, minimum: -Number.MAX_SAFE_INTEGER },
  ],
  ...[
    { type: "array" },
    { type: "array", items: text },
    { type: "array", items: { ...text, minLength: 1 } },
    { type: "array", minItems: 1, maxItems: 3 },
  ],
  ...[
    { type: "array", prefixItems: [text, whole], items: text, minItems: 1 },
    { type: "array", items: [text] },
    { prefixItems: [text] },
    { items: {} },
  ],
  ...[
    { type: "tuple", items: text, maxItems: 2 },
    { type: "array", items: { anyOf: [text, whole] } },
    { type: "array", items: { enum: ["a", "b"] } },
  ],
  ...[
    { type: "object" },
    { type: "dict", properties: {} },
    { type: "object", additionalProperties: text },
    { properties: { a: text } },
  ],
  { type: "object", properties: { a: text, b: { ...whole, default: 3, description: "the\n b " } }, required: ["a"] },
  { type: "object", patternProperties: { "^x": whole }, additionalProperties: true },
  { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: whole },
  { type: "object", propertyNames: { pattern: "^k" }, additionalProperties: whole },
  { type: "object", propertyNames: { minLength: 2 }, additionalProperties: whole },
  { type: "object", properties: { a: { type: "array", items: { ...text, description: "each" } }, b: { $ref: "#/$defs/page" } } },
  { type: "object", properties: { a: { $ref: "#/$defs/page", description: "own", default: 2 }, b: { ...text, default: null } } },
  ...[
    { $ref: "#/$defs/node" },
    { $ref: "#/$defs/page" },
    { $ref: "#/$defs/same" },
    { $ref: "#/$defs/gone" },
    { $ref: "x/" },
    { $ref: 1 },
  ],
  ...[
    { anyOf: [text, whole] },
    { oneOf: [text, text] },
    { anyOf: [text], allOf: [{ minLength: 1 }] },
    { ...text, allOf: [{ ...text, minLength: 1 }] },
  ],
  ...[
    { ...whole, anyOf: [{ minimum: 5 }, { maximum: 2 }] },
    { type: "object", oneOf: [{ properties: { a: text } }, { properties: { b: text } }] },
  ],
  ...[
    { type: "object", properties: { a: text }, anyOf: [{ required: ["a"] }] },
    { allOf: [text, whole] },
    { allOf: [{}, text] },
    { anyOf: [{}, {}] },
  ],
  ...[nested(5), nested(6), nested(7)],
]

const printer = (remaining = 100) => ({ root: { $defs: defs } as JsonSchema, encode: (raw: string) => raw, remaining })
const shown = (schema: unknown): string => {
  const json = JSON.stringify(schema, (_key, value: unknown) => (typeof value === "bigint" ? `${value}n` : value))
  return json ?? String(schema)
}

describe("types as they are printed", () => {
  test("each schema has its type", async () => {
    const rows = schemas.map((schema) => `- ${shown(schema)}\n  ${printSchemaType(schema, printer())}`)
    await expect(`# Types\n${rows.join("\n")}\n`).toMatchFileSnapshot("__snapshots__/types.md")
  })

  test("only so many are printed in full, and each level counts", () => {
    const schema = { type: "object", properties: { a: { type: "array", items: text }, b: { type: "array", items: whole } } }
    expect([0, 1, 2, 3, 4, 5].map((remaining) => printSchemaType(schema, printer(remaining)))).toEqual([
      "object",
      "{a?: array, b?: array}",
      "{a?: string[], b?: array}",
      "{a?: string[], b?: array}",
      "{a?: string[], b?: integer[]}",
      "{a?: string[], b?: integer[]}",
    ])
  })

  test("an author's words are encoded, each one", () => {
    const schema = {
      type: "object",
      properties: { key: { type: "kind", description: "words", default: "value" }, f: { type: "string", format: "form" } },
      patternProperties: { pat: { const: "con" } },
      additionalProperties: { $ref: "#/gone" },
    }
    const angled = { ...printer(), encode: (raw: string) => (/^(?:object|string)$/.test(raw) ? raw : `<${raw}>`) }
    expect(printSchemaType(schema, angled)).toBe(
      "{<key>?: <kind> = <value> - <words>, <f>?: string <form>, [/<pat>/]: <con>, [key]: <gone>}",
    )
    expect(printOtherProperties({ additionalProperties: text }, printer())).toEqual(["[key]: string"])
    expect(["x", 0, false, null, undefined].map((value) => printDefault({ default: value }, printer()))).toEqual([
      " = x",
      " = 0",
      " = false",
      "",
      "",
    ])
  })
})

describe("results as text", () => {
  test.each<[string, unknown, string]>([
    ["a string", "x\n", "x\n"],
    ["nothing", undefined, ""],
    ["null", null, ""],
    ["a function", () => 1, ""],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["a number", 0, "0"],
    ["an object", { a: [1] }, '{"a":[1]}'],
    [
      "texts of MCP",
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      "a\nb",
    ],
    ["a text that is none", { content: [{ type: "text", text: 1 }] }, '{"type":"text","text":1}'],
    ["a resource", { content: [{ type: "resource", resource: { text: "r", uri: "u" } }] }, "r"],
    ["a picture", { content: [{ type: "image", data: "AA", mimeType: "image/png" }] }, '{"type":"image","mimeType":"image/png"}'],
    [
      "a resource of bytes",
      { content: [{ type: "resource", resource: { uri: "u", blob: "AA" } }] },
      '{"type":"resource","resource":{"uri":"u"}}',
    ],
    ["no parts", { content: [] }, ""],
    ["no parts and a value", { content: [], structuredContent: { a: 1 } }, '{"content":[],"structuredContent":{"a":1}}'],
    ["parts and a value", { content: [{ type: "text", text: "a" }], structuredContent: 1 }, "a"],
    ["a part without a type", { content: [{ text: "a" }] }, '{"content":[{"text":"a"}]}'],
    ["content that is no list", { content: "a" }, '{"content":"a"}'],
  ])("%s", (_what, value, expected) => {
    expect(normaliseResult(value)).toBe(expected)
  })
})

describe("arithmetic as people write it", () => {
  const expressions = [
    ...[
      "1+2*3",
      "(1+2)*3",
      "-2^2",
      "2^3^2",
      "2**-1",
      "10%3",
      "200-10%",
      "50%",
      "200*10%",
      "5!",
      "-3!",
      "2(3+4)",
      "7 × 8 ÷ 2 =",
      "1.5e3+.5",
    ],
    ...[
      "sqrt(16)",
      "max(1,2,3)",
      "round(2.567,2)",
      "pi*2",
      "sin(0)",
      "log(100)",
      "ln(e)",
      "abs(-3)",
      "min(4, 2)",
      "5 % (3)",
      "１＋１",
      "3²",
      "1/0",
    ],
    ...[
      "mod(7,3)",
      "7 mod 3",
      "floor(-1.5)",
      "0^0",
      "(-8)^(1/3)",
      "1e400",
      "x",
      "2 3",
      "()",
      "sqrt()",
      "sqrt(1,2)",
      "max()",
      "1,2",
      "½",
      "1 = ?",
      "",
    ],
  ]
  const found = (expression: string): string => {
    try {
      return String(evaluateExpression(expression))
    } catch (error) {
      return (error as Error).message
    }
  }

  test("each expression has its value or its mistake, also without one of its characters", async () => {
    const rows = expressions.flatMap((whole) => [
      `- \`${whole}\`: ${found(whole)}`,
      ...Array.from(whole, (_, at) => whole.slice(0, at) + whole.slice(at + 1)).map((less) => `  - \`${less}\`: ${found(less)}`),
    ])
    await expect(`# Arithmetic\n${rows.join("\n")}\n`).toMatchFileSnapshot("__snapshots__/arithmetic.md")
  })

  test("parentheses are read up to a depth", () => {
    for (const depth of [255, 256]) expect(found("(".repeat(depth) + 1 + ")".repeat(depth)), String(depth)).toBe("1")
    expect(found(`${"(".repeat(258)}1${")".repeat(258)}`)).not.toBe("1")
  })
})

describe("time zones that are near", () => {
  test.each([
    ["berlin", ["Europe/Berlin"]],
    [" Mars/berlin ", ["Europe/Berlin"]],
    ["Europe/Berln", ["Europe/Berlin", "Europe/Dublin", "Europe/Jersey"]],
    ["New York", ["America/New_York"]],
    ["new-york", ["America/New_York"]],
    ["", []],
    ["x".repeat(64), []],
    ["x".repeat(65), []],
  ])("%j is near %j", (name, zones) => {
    expect(nearTimeZones(name)).toEqual(zones)
  })

  test("are at most three", () => {
    expect(nearTimeZones("asia")).toHaveLength(Math.min(3, nearTimeZones("asia").length))
    expect(nearTimeZones("Lond").length).toBeLessThanOrEqual(3)
    expect(nearTimeZones("rome")[0]).toBe("Europe/Rome")
  })
})
