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
  return argumentSchema(
    Object.entries(parameters).map(([name, { description, optional = false }]) => {
      return { name, description, optional, kind: optional ? anyText : someText }
    }),
  )
}

/** A kind of parameter: its JSON Schema, its values, and the message about what is none. */
export interface ParameterKind<Value> {
  readonly shape: Readonly<Record<string, unknown>>
  /** Nearly right values are accepted. Undefined for any other one. */
  read(found: unknown): Value | undefined
  problem(found: unknown): string
}

interface Parameter {
  readonly name: string
  readonly kind: ParameterKind<unknown>
  readonly description: string | undefined
  readonly optional: boolean
}

const isAbsent = (found: unknown): boolean => found === undefined || found === null

/** Makes a schema of parameters without a schema library. Other keys are dropped, and so is an optional one that `isLeftOut`. */
export function argumentSchema<Output>(parameters: readonly Parameter[], isLeftOut = isAbsent): TextSchema<Output> {
  const properties = parameters.map(({ name, description, kind: { shape } }) => {
    return [name, description === undefined ? shape : { ...shape, description }]
  })
  const required = parameters.filter(({ optional }) => !optional).map(({ name }) => name)
  const schema = { type: "object", properties: Object.fromEntries(properties), required }
  return handWrittenSchema(schema, (args) => {
    if (typeof args !== "object" || args === null) return { issues: [{ message: "expected object" }] }
    const given = new Map(Object.entries(args))
    const issues: StandardSchemaV1.Issue[] = []
    const value: Record<string, unknown> = {}
    for (const { name, kind, optional } of parameters) {
      const found = given.get(name)
      if (optional && isLeftOut(found)) continue
      const read = isLeftOut(found) ? undefined : kind.read(found)
      if (read === undefined) issues.push({ message: kind.problem(found), path: [name] })
      else value[name] = read
    }
    return issues.length > 0 ? { issues } : { value: value as Output }
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

function mismatch(expected: string, found: unknown): string {
  return `expected ${expected}, received ${jsonTypeOf(found)}`
}

/** A text, or a number in its place. */
export function asText(found: unknown): string | undefined {
  const text = typeof found === "number" ? String(found) : found
  return typeof text === "string" ? text : undefined
}

const anyText: ParameterKind<string> = {
  shape: { type: "string" },
  read: asText,
  problem: (found) => mismatch("string", found),
}

const someText: ParameterKind<string> = {
  ...anyText,
  read: (found) => (asText(found)?.trim() ? asText(found) : undefined),
  problem: (found) => (typeof found === "string" ? "expected text, received blank" : mismatch("string", found)),
}
