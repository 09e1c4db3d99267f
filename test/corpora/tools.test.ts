import { describe, expect, test } from "vitest"
import { encodeInline } from "../../src/encode/inline.ts"
import { canonicalArguments } from "../../src/tools/canonical-arguments.ts"
import { defineTool } from "../../src/tools/define-tool.ts"
import { parseArguments } from "../../src/tools/parse-arguments.ts"
import { printArguments } from "../../src/tools/print-arguments.ts"
import { printParameters } from "../../src/tools/print-parameters.ts"
import type { JsonSchema } from "../../src/tools/tool.ts"
import { createToolSet } from "../../src/tools/tool-set.ts"
import { dataPresent, hostileStrings, readJsonLines } from "../support/corpora.ts"

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
        if (!["array", "tuple", "dict"].includes(type)) expect(printed.slice(found)).toMatch(new RegExp(`^[^(]+\\(${type}[,):]`))
        if (!(parameters.required ?? []).includes(name)) expect(printed.slice(found)).toContain(", optional)")
        const { description } = schema as { description?: string }
        if (description?.trim()) expect(printed.slice(found)).toContain(` - ${description}`)
        at = found + name.length
      }
    }
  })

  test("T9: printing is the same every time, and on one line once it is encoded", () => {
    for (const { parameters } of functions) {
      const schema = parameters as unknown as JsonSchema
      const wire = printParameters(schema, words, encodeInline)
      expect(wire).not.toMatch(lineBreak)
      expect(printParameters(JSON.parse(JSON.stringify(schema)), words, encodeInline)).toBe(wire)
    }
  })

  test("become tools, and a wrong name finds the right one", () => {
    const seen = new Set<string>()
    const tools = functions
      .filter(({ name }) => !seen.has(name) && seen.add(name))
      .map(({ name, description, parameters }) =>
        defineTool({ name, description, trust: "tool", jsonSchema: { ...parameters, type: "object" }, execute: () => "" }),
      )
    const set = createToolSet(tools)
    for (const { name } of tools) {
      expect(set.get(name)?.name).toBe(name)
      expect(set.suggestions(`${name}s`)).toContain(name)
    }
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
