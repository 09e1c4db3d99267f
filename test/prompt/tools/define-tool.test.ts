import { toJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as v from "valibot"
import { describe, expect, expectTypeOf, test } from "vitest"
import { z } from "zod"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Tool, ToolContext } from "../../../src/prompt/tools/tool.ts"

const context: ToolContext = {
  signal: new AbortController().signal,
  key: { agent: "a", conversation: "c", audience: "private", user: "u" },
  turnId: "t",
  clock: { nowMs: () => 0 },
}

async function run(tool: Tool, args: unknown): Promise<unknown> {
  const checked = await tool.check(args)
  return checked.ok ? tool.execute(checked.value, context) : checked.issues
}

function thrownBy(action: () => unknown): PromptStrataError {
  try {
    action()
  } catch (thrown) {
    if (PromptStrataError.isInstance(thrown)) return thrown
    throw thrown
  }
  throw new Error("nothing was thrown")
}

const base = { name: "weather", description: "Look up the weather" }

describe("defineTool with any Standard Schema", () => {
  const zodTool = defineTool({
    ...base,
    inputSchema: z.object({
      city: z.string().describe("City name"),
      days: z.number().default(3),
      unit: z.enum(["c", "f"]).optional(),
    }),
    execute: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; unit?: "c" | "f" | undefined }>()
      return args
    },
  })
  const arkTool = defineTool({
    ...base,
    inputSchema: type({ city: "string", days: "number = 3", "unit?": "'c'|'f'" }),
    execute: (args) => {
      expectTypeOf(args.days).toEqualTypeOf<number>()
      return args
    },
  })
  const valibotSchema = v.object({ city: v.string(), days: v.optional(v.number(), 3), unit: v.optional(v.picklist(["c", "f"])) })
  const valibotTool = defineTool({
    ...base,
    inputSchema: valibotSchema,
    jsonSchema: toJsonSchema(valibotSchema) as Record<string, unknown>,
    execute: (args) => {
      expectTypeOf(args.days).toEqualTypeOf<number>()
      return args
    },
  })

  describe.each([
    ["zod", zodTool],
    ["arktype", arkTool],
    ["valibot with a given JSON schema", valibotTool],
  ])("%s", (_library, tool) => {
    test("shows the model the schema of what goes in", () => {
      const { type: kind, properties, required, ...rest } = tool.inputSchema
      expect(kind).toBe("object")
      expect(Object.keys(properties as object).toSorted()).toEqual(["city", "days", "unit"])
      expect(required).toEqual(["city"])
      expect(rest).not.toHaveProperty("$schema")
    })

    test("fills defaults before it runs", async () =>
      expect(await run(tool, { city: "北京" })).toEqual({ city: "北京", days: 3 }))

    test("T18: complains with a path about wrong arguments", async () => {
      const issues = await run(tool, { city: 5, unit: "k" })
      expect(issues).toEqual(expect.arrayContaining([expect.stringMatching(/city/)]))
    })

    test.each([undefined, null, "city", 5, [], [{ city: "x" }]])("T18: %j is no set of arguments", async (args) => {
      expect(await tool.check(args)).toMatchObject({ ok: false })
    })
  })

  test("puts the path before each message", async () => {
    const tool = defineTool({ ...base, inputSchema: z.object({ a: z.array(z.object({ b: z.string() })) }), execute: () => "" })
    expect(await run(tool, { a: [{ b: "x" }, { b: 1 }] })).toEqual([expect.stringMatching(/^a\[1\]\.b: /)])
  })

  test("uses the results of transformations, also asynchronous ones", async () => {
    const schema = z.object({ city: z.string().transform(async (city) => city.length) })
    const jsonSchema = { type: "object", properties: { city: { type: "string" } } }
    const tool = defineTool({ ...base, inputSchema: schema, jsonSchema, execute: ({ city }) => city + 1 })
    expect(await run(tool, { city: "abc" })).toBe(4)
  })

  test("T18: a validator that throws is an issue, on one line", async () => {
    const schema = z.object({
      city: z.string().refine(() => {
        throw new Error("two\nlines")
      }),
    })
    const tool = defineTool({ ...base, inputSchema: schema, execute: () => "" })
    expect(await run(tool, { city: "x" })).toEqual(["two lines"])
  })

  test("says at most 20 issues and how many more there are", async () => {
    const tool = defineTool({ ...base, inputSchema: z.object({ a: z.array(z.string()) }), execute: () => "" })
    const issues = await run(tool, { a: Array.from({ length: 50 }, () => 1) })
    expect(issues).toHaveLength(21)
    expect(issues).toHaveProperty("20", "… (+30)")
  })
})

describe("defineTool without a schema", () => {
  const tool = defineTool({ ...base, execute: (args) => args })

  test("has no parameters", () => expect(tool.inputSchema).toEqual({ type: "object", properties: {} }))

  test.each([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [{ extra: 1 }, { extra: 1 }],
  ])("takes %j", async (args, value) => {
    expect(await run(tool, args)).toEqual(value)
  })

  test.each(["x", 1, []])("T18: refuses %j", async (args) => expect(await tool.check(args)).toMatchObject({ ok: false }))

  test("keeps __proto__ in arguments an own key", async () => {
    const value = (await run(tool, JSON.parse('{"__proto__":{"admin":true}}'))) as object
    expect(Object.keys(value)).toEqual(["__proto__"])
    expect("admin" in value).toBe(false)
  })
})

describe("defineTool throws tool-definition", () => {
  test("for a schema that cannot say its JSON schema, and says what to pass", () => {
    const error = thrownBy(() => defineTool({ ...base, inputSchema: v.object({ city: v.string() }), execute: () => "" }))
    expect(error.code).toBe("tool-definition")
    expect(error.message).toMatch(/"weather" \(valibot\).*\n.*jsonSchema.*toJsonSchema/s)
  })

  test("for a schema without a form in JSON Schema, with the cause", () => {
    const error = thrownBy(() => defineTool({ ...base, inputSchema: z.object({ at: z.date() }), execute: () => "" }))
    expect(error.code).toBe("tool-definition")
    expect(error.cause).toBeInstanceOf(Error)
  })

  test("for arguments that are no object", () => {
    expect(thrownBy(() => defineTool({ ...base, inputSchema: z.string(), execute: () => "" })).message).toMatch(
      /has the type "string"/,
    )
  })

  test.each(["", "1st", "two words", "a(b", "a\n", "a".repeat(65), "-x", ".x"])("for the name %j", (name) => {
    expect(thrownBy(() => defineTool({ ...base, name, execute: () => "" })).code).toBe("tool-definition")
  })

  test.each([{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { maxResultCharacters: -1 }])("for the limit %j", (limit) => {
    expect(thrownBy(() => defineTool({ ...base, ...limit, execute: () => "" })).code).toBe("tool-definition")
  })

  test.each(["query_weather", "math.factorial", "天气", "_x", "__proto__", "constructor", "a-b.c", "a".repeat(64)])(
    "but not for the name %j",
    (name) => {
      expect(defineTool({ ...base, name, execute: () => "" }).name).toBe(name)
    },
  )
})

test("settings have defaults and are kept", () => {
  expect(defineTool({ ...base, execute: () => "" })).toMatchObject({
    trust: "author",
    visibility: "planner",
    repeatable: false,
    writes: false,
  })
  const set = {
    usageHint: "h",
    repeatable: true,
    writes: true,
    visibility: "prestart",
    timeoutMs: 5,
    maxResultCharacters: 9,
    trust: "tool",
  } as const
  expect(defineTool({ ...base, ...set, execute: () => "" })).toMatchObject(set)
})

describe("T45: defineTool with a JSON Schema alone", () => {
  const jsonSchema = {
    type: "object",
    properties: { to: { type: "string" }, copies: { type: "integer", default: 1 }, kind: { enum: ["a", "b"] } },
    required: ["to"],
    additionalProperties: false,
  }
  const tool = defineTool({ ...base, jsonSchema, execute: (args) => args })

  test.each([
    [{}, "it: to is missing"],
    [{ to: 3 }, "to: expected string, found number"],
    [{ to: "x", copies: 1.5 }, "copies: expected integer, found number"],
    [{ to: "x", kind: "c" }, "kind: found another value than those it may have"],
    [{ to: "x", more: 1 }, "more: nothing is expected here"],
    ["x", "expected object, received string"],
  ])("does not run with %j", async (args, issue) => expect(await run(tool, args)).toEqual([issue]))

  test("runs with arguments that fit, as the model wrote them", async () => {
    expect(await run(tool, { to: "x", kind: "b" })).toEqual({ to: "x", kind: "b" })
  })

  test("an inputSchema beside it is what counts", async () => {
    const both = defineTool({ ...base, inputSchema: z.looseObject({}), jsonSchema, execute: () => "ran" })
    expect(await run(both, {})).toBe("ran")
  })
})

test("T50 a tool of trust `tool` gets its own names and values back, in check, approval and call; one of the author keeps its tokens", async () => {
  const definition = {
    ...base,
    description: "<|im_start|>",
    usageHint: "[INST]",
    inputSchema: z.object({ "<s>": z.enum(["[/INST]", "<\\s>"]), free: z.string() }),
    needsApproval: (args: unknown) => "<s>" in (args as object),
    execute: (args: object) => ({ ...args }),
  }
  const tool = defineTool({ ...definition, trust: "tool" })
  expect([tool.description, tool.usageHint]).toEqual(["<\\|im_start|>", "[\\INST]"])
  const shown = { "<\\s>": "[\\/INST]", free: "<\\|x|>" }
  const own = { "<s>": "[/INST]", free: "<\\|x|>" }
  expect(tool.inputSchema.required).toEqual(["<\\s>", "free"])
  expect(await tool.check(shown)).toEqual({ ok: true, value: shown })
  expect(await tool.check(own)).toEqual({ ok: true, value: shown })
  expect(await (tool.needsApproval as (args: unknown) => unknown)(shown)).toBe(true)
  expect(tool.execute(shown, context)).toEqual(own)
  expect(await tool.check({ "<\\s>": "<\\\\s>", free: "" })).toEqual({ ok: true, value: { "<\\s>": "<\\\\s>", free: "" } })
  expect(tool.execute({ "<\\s>": "<\\\\s>", free: "" }, context)).toEqual({ "<s>": "<\\s>", free: "" })
  const { description, inputSchema } = defineTool(definition)
  expect([description, inputSchema.required]).toEqual(["<|im_start|>", ["<s>", "free"]])
})
