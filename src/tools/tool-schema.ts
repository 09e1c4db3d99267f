import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { ArgumentCheck, JsonSchema } from "./tool.ts"

const noParameters: JsonSchema = Object.freeze({ type: "object", properties: Object.freeze({}) })

/**
 * Returns the JSON Schema of a tool's arguments: `given` if present, else the one that `schema` converts to (zod 4.2 and
 * later, arktype), else a schema without properties. `$schema` is left out. Throws `tool-definition` when `schema` has no
 * JSON Schema or when the result does not describe an object.
 */
export function inputJsonSchema(name: string, schema?: StandardSchemaV1, given?: JsonSchema): JsonSchema {
  if (given !== undefined) return objectSchema(name, given)
  if (schema === undefined) return noParameters
  const standard: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> = schema["~standard"]
  if (typeof standard?.jsonSchema?.input !== "function") throw withoutJsonSchema(name, standard?.vendor)
  return objectSchema(name, convert(name, standard.jsonSchema.input))
}

function convert(name: string, input: StandardJSONSchemaV1.Converter["input"]): JsonSchema {
  try {
    return input({ target: "draft-2020-12" })
  } catch (cause) {
    throw new PromptStrataError("tool-definition", `The input schema of tool "${name}" cannot be converted to JSON Schema.`, {
      cause,
      hint: "Use types that JSON has (for example a string for a date), or pass `jsonSchema` together with `inputSchema`.",
      evidence: { tool: name },
    })
  }
}

function objectSchema(name: string, schema: JsonSchema): JsonSchema {
  const type = Object.hasOwn(schema, "type") ? schema.type : "object"
  if (type !== "object") {
    throw new PromptStrataError(
      "tool-definition",
      `The arguments of tool "${name}" must be an object, but its schema has the type ${JSON.stringify(type)}.`,
      { hint: "Wrap the schema in an object with one property per parameter.", evidence: { tool: name, type } },
    )
  }
  const { $schema: _dialect, ...rest } = schema
  return { ...rest, type: "object" }
}

function withoutJsonSchema(name: string, vendor: unknown): PromptStrataError {
  const library = typeof vendor === "string" ? ` (${vendor})` : ""
  return new PromptStrataError(
    "tool-definition",
    `The input schema of tool "${name}"${library} has no JSON Schema, which the model needs.`,
    {
      hint: 'Pass it as `jsonSchema`; for valibot that is `toJsonSchema(schema)` of "@valibot/to-json-schema".',
      evidence: { tool: name, vendor },
    },
  )
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
  return { ok: false, issues: [`expected object, received ${Array.isArray(args) ? "array" : typeof args}`] }
}

function issueLine(issue: StandardSchemaV1.Issue): string {
  const path = (issue.path ?? []).map(segmentText).join("").replace(/^\./, "")
  return withoutLineBreaks(path === "" ? issue.message : `${path}: ${issue.message}`)
}

function segmentText(segment: PropertyKey | StandardSchemaV1.PathSegment): string {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "number" ? `[${key}]` : `.${String(key)}`
}

function withoutLineBreaks(text: string): string {
  return text.replace(/[\n\r\u2028\u2029\u0085\v\f]+/g, " ")
}
