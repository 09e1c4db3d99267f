import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { shownValue } from "../../core/check-options.ts"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { breakTokens, mapTexts } from "../encode/sanitise.ts"
import { jsonTypeOf } from "./json-schema.ts"
import type { ArgumentCheck, JsonSchema, Tool } from "./tool.ts"

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

const noParameters: JsonSchema = Object.freeze({ type: "object", properties: Object.freeze({}) })

/**
 * Returns the JSON Schema of a tool's arguments: `given` if present, else the one that `schema` converts to (zod 4.2 and
 * later, arktype), else a schema without properties. `$schema` is left out. Throws `tool-definition` when `schema` has no
 * JSON Schema or when the result does not describe an object.
 */
export function inputJsonSchema(tool: string, schema?: StandardSchemaV1, given?: JsonSchema): JsonSchema {
  if (given === undefined && schema === undefined) return noParameters
  const jsonSchema = given ?? convert(tool, schema?.["~standard"])
  const type = Object.hasOwn(jsonSchema, "type") ? jsonSchema.type : "object"
  if (type !== "object") {
    const message = `The arguments of tool "${tool}" must be an object, but its schema has the type ${shownValue(type)}.`
    const hint = "Wrap the schema in an object with one property per parameter."
    throw new PromptStrataError("tool-definition", message, { hint, evidence: { tool, type } })
  }
  const { $schema: _dialect, ...rest } = jsonSchema
  return { ...rest, type: "object" }
}

function convert(tool: string, standard?: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>): JsonSchema {
  const given: unknown = standard?.vendor
  const vendor = typeof given === "string" ? given : undefined
  if (typeof standard?.jsonSchema?.input !== "function") {
    const library = vendor === undefined ? "" : ` (${vendor})`
    const message = `The input schema of tool "${tool}"${library} has no JSON Schema, which the model needs.`
    const hint = 'Pass it as `jsonSchema`; for valibot that is `toJsonSchema(schema)` of "@valibot/to-json-schema".'
    throw new PromptStrataError("tool-definition", message, { hint, evidence: { tool, vendor } })
  }
  try {
    return standard.jsonSchema.input({ target: "draft-2020-12" })
  } catch (cause) {
    const hint = "Use types that JSON has (for example a string for a date), or pass `jsonSchema` together with `inputSchema`."
    const message = `The input schema of tool "${tool}" cannot be converted to JSON Schema.`
    throw new PromptStrataError("tool-definition", message, { cause, hint, evidence: { tool } })
  }
}

/** A model learns nothing new from more issues. */
const maxIssues = 20

/**
 * Checks arguments against a Standard Schema. The value is the schema's output, with defaults and transformations. Each
 * issue is a line `path: message`; after 20 issues the rest is a count. Never throws: a validator that throws is an issue.
 */
export async function checkArguments(schema: StandardSchemaV1, args: unknown): Promise<ArgumentCheck> {
  try {
    const result = await schema["~standard"].validate(args)
    if (result.issues === undefined) return { ok: true, value: result.value }
    const lines = result.issues.slice(0, maxIssues).map(issueLine)
    const more = result.issues.length - lines.length
    return { ok: false, issues: more > 0 ? [...lines, `… (+${more})`] : lines }
  } catch (thrown) {
    return { ok: false, issues: [withoutLineBreaks(messageOf(thrown))] }
  }
}

/** Checks arguments of a tool without a validating schema: an object, or nothing, which becomes `{}`. */
export async function checkRecord(args: unknown): Promise<ArgumentCheck> {
  if (args === undefined || args === null) return { ok: true, value: {} }
  if (typeof args === "object" && !Array.isArray(args)) return { ok: true, value: args }
  return { ok: false, issues: [`expected object, received ${jsonTypeOf(args)}`] }
}

/**
 * Makes the check of arguments by a JSON Schema alone: types, required and forbidden members, enums and constants. They stay as they came:
 * defaults are not filled in.
 */
export function jsonSchemaCheck(schema: JsonSchema): Tool["check"] {
  return async (args) => {
    const record = await checkRecord(args)
    if (!record.ok) return record
    const { schemaMismatch } = await import("./schema-mismatch.ts")
    const issue = schemaMismatch(schema, record.value)
    return issue === undefined ? record : { ok: false, issues: [withoutLineBreaks(issue)] }
  }
}

/**
 * A tool whose texts came over a network, as prompts may have it: in its description and schema, tokens of chat templates are broken
 * (T50), because a server may render native tools to a text, too. Of the arguments, names and values of the schema that were broken get
 * their own form before they are checked and run. Other tools are returned as they are.
 */
export function withoutTokens(tool: Tool): Tool {
  const { trust, description, usageHint, needsApproval } = tool
  if (trust === "author") return tool
  const own = new Map<string, string>()
  const inputSchema = mapTexts(tool.inputSchema, (text) => {
    const broken = breakTokens(text)
    if (broken !== text) own.set(broken, text)
    return broken
  })
  const texts = { inputSchema, description: breakTokens(description), usageHint: usageHint && breakTokens(usageHint) }
  if (own.size === 0) return { ...tool, ...texts }
  const shown = new Map([...own].map(([broken, text]) => [text, broken]))
  const given = (args: unknown) => mapTexts(args, (text) => own.get(text) ?? text)
  return {
    ...tool,
    ...texts,
    needsApproval: typeof needsApproval === "function" ? (args) => needsApproval(given(args)) : needsApproval,
    check: async (args) => {
      const checked = await tool.check(given(args))
      return checked.ok ? { ok: true, value: mapTexts(checked.value, (text) => shown.get(text) ?? text) } : checked
    },
    execute: (args, context) => tool.execute(given(args), context),
  }
}

function issueLine(issue: StandardSchemaV1.Issue): string {
  const keys = (issue.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))
  const path = keys
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "")
  return withoutLineBreaks(path === "" ? issue.message : `${path}: ${issue.message}`)
}

function withoutLineBreaks(text: string): string {
  return text.replace(/[\n\r\u2028\u2029\u0085\v\f]+/g, " ")
}
