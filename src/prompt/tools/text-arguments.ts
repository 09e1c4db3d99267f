import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { jsonTypeOf } from "./json-schema.ts"

/** Text parameters by name, each with its description. */
interface TextParameters {
  readonly [name: string]: { readonly description: string | undefined; readonly optional?: boolean }
}

/** The checked arguments: a text for each parameter, `undefined` for an optional one that was not given. */
type TextArguments<Parameters extends TextParameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends { readonly optional: true } ? string | undefined : string
}

/** A Standard Schema that converts to JSON Schema. */
export interface TextSchema<Output> {
  readonly "~standard": StandardSchemaV1.Props<unknown, Output> & StandardJSONSchemaV1.Props<unknown, Output>
}

/**
 * Makes a schema of text parameters without a schema library, so that built-in tools load none. Numbers become text, a
 * required text must not be blank, an optional one may be `null`, and other keys are dropped.
 */
export function textArguments<const Parameters extends TextParameters>(
  parameters: Parameters,
): TextSchema<TextArguments<Parameters>> {
  const entries = Object.entries(parameters)
  const properties = entries.map(([name, { description }]) => [name, { type: "string", description }])
  const required = entries.filter(([, { optional }]) => !optional).map(([name]) => name)
  const schema = { type: "object", properties: Object.fromEntries(properties), required }
  return handWrittenSchema(schema, (args) => {
    if (typeof args !== "object" || args === null) return { issues: [mismatch("object", args)] }
    const given = new Map(Object.entries(args))
    const issues: StandardSchemaV1.Issue[] = []
    const texts: [name: string, text: unknown][] = []
    for (const [name, { optional }] of entries) {
      const found = given.get(name)
      const text = typeof found === "number" ? String(found) : found
      const isLeftOut = optional && (text === undefined || text === null)
      texts.push([name, isLeftOut ? undefined : text])
      if (isLeftOut) continue
      if (typeof text !== "string") issues.push({ ...mismatch("string", text), path: [name] })
      else if (!optional && text.trim() === "") issues.push({ message: "expected text, received blank", path: [name] })
    }
    return issues.length > 0 ? { issues } : { value: Object.fromEntries(texts) as TextArguments<Parameters> }
  })
}

/** The Standard Schema of a JSON Schema and a function that checks arguments against it. */
export function handWrittenSchema<Output>(
  schema: Record<string, unknown>,
  validate: (args: unknown) => StandardSchemaV1.Result<Output>,
): TextSchema<Output> {
  const jsonSchema = { input: () => schema, output: () => schema }
  return { "~standard": { version: 1, vendor: "promptstrata", validate, jsonSchema } }
}

function mismatch(expected: string, found: unknown): StandardSchemaV1.Issue {
  return { message: `expected ${expected}, received ${jsonTypeOf(found)}` }
}
