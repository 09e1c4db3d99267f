import { describe, expect, test } from "vitest"
import { z } from "zod"
import { encodeInline } from "../../src/prompt/encode/inline.ts"
import { joinLines } from "../../src/prompt/encode/line-breaks.ts"
import { canonicalArguments, printArguments } from "../../src/prompt/tools/call-arguments.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { printParameters } from "../../src/prompt/tools/print-parameters.ts"
import type { JsonSchema } from "../../src/prompt/tools/tool.ts"
import { createToolSet } from "../../src/prompt/tools/tool-set.ts"
import { dataPresent, hostileStrings, readJsonLines } from "../support/corpora.ts"
import { parseArguments } from "../support/parse-arguments.ts"

interface BfclFunction {
  readonly name: string
  readonly description: string
  readonly parameters: { readonly properties: Readonly<Record<string, unknown>>; readonly required?: readonly string[] }
}

type BfclAnswer = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>

const words = { optional: "optional" }
const lineBreak = /[\n\r\u2028\u2029\u0085\v\f]/

describe.skipIf(!dataPresent)("BFCL functions", () => {
  const files = ["bfcl-simple-python", "bfcl-live-multiple"]
  const functions = dataPresent
    ? files.flatMap((file) => readJsonLines<{ function: BfclFunction[] }>(`tools/${file}.jsonl`).flatMap((line) => line.function))
    : []

  test("T9: every schema prints, each parameter by its name, in order, with its type", () => {
    expect(functions.length).toBeGreaterThan(500)
    for (const { parameters } of functions) {
      const printed = printParameters(parameters as unknown as JsonSchema, words)
      let at = 0
      for (const [name, schema] of Object.entries(parameters.properties)) {
        const found = printed.indexOf(`${name} (`, at)
        expect(found, `${name} in ${printed}`).toBeGreaterThanOrEqual(at)
        const { type = "any" } = schema as { type?: string }
        if (!["array", "tuple", "dict"].includes(type))
          expect(printed.slice(found)).toMatch(new RegExp(`^[^(]+\\(${type}(?:[,):]| =)`))
        if (!(parameters.required ?? []).includes(name)) expect(printed.slice(found)).toContain(", optional)")
        const { description, default: byDefault } = schema as { description?: string; default?: unknown }
        if (description?.trim()) expect(printed.slice(found)).toContain(` - ${joinLines(description)}`)
        if (byDefault !== undefined && byDefault !== null) expect(printed.slice(found)).toContain(" = ")
        at = found + name.length
      }
    }
  })

  test("L6: nothing that a schema says is missing: nested names, words and choices too", () => {
    for (const { parameters } of functions) {
      const printed = printParameters(parameters as unknown as JsonSchema, words)
      for (const text of textsIn(parameters)) expect(printed).toContain(text)
      expect(printed).not.toMatch(lineBreak)
    }
  })

  test("L6: each right answer validates against the schema that the model is shown", async () => {
    let checked = 0
    for (const file of files) {
      const answers = readJsonLines<{ id: string; ground_truth: BfclAnswer[] }>(`tools/${file}-answers.jsonl`)
      const byId = new Map(
        readJsonLines<{ id: string; function: BfclFunction[] }>(`tools/${file}.jsonl`).map((line) => [line.id, line.function]),
      )
      for (const { id, ground_truth } of answers) {
        for (const [name, choices] of ground_truth.flatMap((call) => Object.entries(call))) {
          const found = byId.get(id)?.find((one) => one.name === name)
          if (found === undefined) throw new Error(`${id}: no function ${name}`)
          const inputSchema = z.fromJSONSchema(jsonSchemaOf(found.parameters) as Parameters<typeof z.fromJSONSchema>[0])
          const tool = defineTool({
            name: name.replaceAll(/[^\w.-]/g, "_"),
            description: found.description,
            inputSchema,
            execute: () => "",
          })
          const args = rightArguments(choices, found.parameters as unknown as JsonSchema)
          const check = await tool.check(args)
          expect(check.ok, `${id} ${name}: ${JSON.stringify(check)}`).toBe(id !== contradictory)
          expect(printParameters(tool.inputSchema, words) === "").toBe(Object.keys(found.parameters.properties).length === 0)
          checked++
        }
      }
    }
    expect(checked).toBeGreaterThan(290)
  })

  test("T9: printing is the same every time, and on one line once it is encoded", () => {
    for (const { parameters } of functions) {
      const schema = parameters as unknown as JsonSchema
      const wire = printParameters(schema, words, encodeInline)
      expect(wire).not.toMatch(lineBreak)
      expect(printParameters(JSON.parse(JSON.stringify(schema)), words, encodeInline)).toBe(wire)
    }
  })

  test("become tools that are found by their names", () => {
    const seen = new Set<string>()
    const tools = functions
      .filter(({ name }) => !seen.has(name) && seen.add(name))
      .map(({ name, description, parameters }) =>
        defineTool({ name, description, trust: "tool", jsonSchema: { ...parameters, type: "object" }, execute: () => "" }),
      )
    const set = createToolSet(tools)
    for (const { name } of tools) expect(set.get(name)?.name).toBe(name)
  })

  test("T10: the right answers' arguments print and are read back", () => {
    const calls = files.flatMap((file) =>
      readJsonLines<{ ground_truth: BfclAnswer[] }>(`tools/${file}-answers.jsonl`).flatMap((line) =>
        line.ground_truth.flatMap((call) => Object.values(call)),
      ),
    )
    expect(calls.length).toBeGreaterThan(250)
    for (const choices of calls) {
      const args = Object.fromEntries(Object.entries(choices).map(([name, values]) => [name, values[0]]))
      expect(parseArguments(printArguments(args))).toEqual(args)
      expect(canonicalArguments(parseArguments(printArguments(args)))).toBe(canonicalArguments(args))
    }
  })
})

/** What Python programs call their kinds, in the words of JSON Schema. */
const kinds: Readonly<Record<string, string | undefined>> = { dict: "object", float: "number", tuple: "array" }

function jsonSchemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf)
  if (typeof schema !== "object" || schema === null) return schema
  const { type, properties, items, optional: _optional, ...rest } = schema as Record<string, unknown>
  return {
    ...rest,
    ...(typeof type !== "string" || type === "any" ? {} : { type: kinds[type] ?? type }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties as object).map(([name, one]) => [name, jsonSchemaOf(one)])) }),
    ...(items === undefined ? {} : { items: jsonSchemaOf(items) }),
  }
}

/** Its answer is no choice of its own schema. */
const contradictory = "live_multiple_87-38-4"

/** A right answer lists what is right for each argument; an empty string or null says that it may be left out. */
function rightArguments(choices: Readonly<Record<string, unknown>>, schema: JsonSchema): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.fromEntries(
    Object.entries(choices).flatMap(([name, right]) => {
      const value = Array.isArray(right) ? right.find((one) => one !== "" && one !== null) : right
      return value === undefined ? [] : [[name, rightValue(value, properties[name] ?? {})]]
    }),
  )
}

function rightValue(value: unknown, schema: JsonSchema): unknown {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value)
  if (isRecord && schema.type === "dict") return rightArguments(value as Record<string, unknown>, schema)
  const items = schema.items as JsonSchema | undefined
  return Array.isArray(value) && items ? value.map((item) => rightValue(item, items)) : value
}

/** Every name, description and choice of a schema, as it is printed for an author. */
function textsIn(schema: unknown): string[] {
  const { properties = {}, items, enum: choices = [], description } = schema as Record<string, unknown>
  const own = [...(choices as unknown[]).filter((choice) => typeof choice === "string" && /^[a-z]+$/i.test(choice)), description]
  return [
    ...own.filter((text): text is string => typeof text === "string" && text.trim() !== "").map(joinLines),
    ...Object.entries(properties as object).flatMap(([name, one]) => [name, ...textsIn(one)]),
    ...(typeof items === "object" && items !== null ? textsIn({ ...items, description: "" }) : []),
  ]
}

describe.skipIf(!dataPresent)("hostile strings", () => {
  const strings = dataPresent ? hostileStrings() : []

  test("T10: as argument names and values are read back exactly and stay on one line", () => {
    expect(strings.length).toBeGreaterThan(1_000)
    for (const text of strings) {
      const args = { before: "a", [text]: text, list: [text, { [text]: text }], after: 1 }
      const printed = printArguments(args)
      expect(printed).not.toMatch(lineBreak)
      expect(parseArguments(printed)).toEqual(args)
    }
  })

  test("T9: in a wire tool's schema stand alone in their places", () => {
    for (const text of strings) {
      const schema = {
        type: "object",
        properties: { [text]: { type: text, description: text }, pick: { type: "string", enum: [text, "plain"] } },
        required: [text, "pick"],
      }
      const printed = printParameters(schema, words, encodeInline)
      const encoded = encodeInline(text)
      const description = text.trim() === "" ? "" : ` - ${encoded}`
      expect(printed).not.toMatch(lineBreak)
      const hostile = `${encoded} (${encoded})${description}`
      const pick = `pick (string: ${encoded}|plain)`
      expect([`${hostile}, ${pick}`, `${pick}, ${hostile}`, pick]).toContain(printed)
    }
  })
})
