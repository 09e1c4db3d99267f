import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { PromptStrataError } from "../core/errors.ts"
import type { JsonSchema } from "./tool.ts"

/** The schema of a tool without parameters. */
const noParameters: JsonSchema = Object.freeze({ type: "object", properties: Object.freeze({}) })

/**
 * The JSON Schema of a tool's arguments: the given one, else the Standard JSON Schema of its input schema (zod 4.2 and
 * later, arktype), else that of no parameters. `$schema` is left out. Throws `tool-definition` where there is none to be
 * had or it does not describe an object.
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
    throw new PromptStrataError("tool-definition", `The input schema of tool "${name}" has no form in JSON Schema.`, {
      cause,
      hint: "Use types that JSON can hold (a date as a string, say), or pass `jsonSchema` beside `inputSchema`.",
      evidence: { tool: name },
    })
  }
}

function objectSchema(name: string, schema: JsonSchema): JsonSchema {
  const type = Object.hasOwn(schema, "type") ? schema.type : "object"
  if (type !== "object") {
    throw new PromptStrataError(
      "tool-definition",
      `The arguments of tool "${name}" must be an object; its schema says ${JSON.stringify(type)}.`,
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
    `The input schema of tool "${name}"${library} cannot say its JSON Schema, which the model needs to see.`,
    {
      hint: 'Pass it as `jsonSchema`; for valibot that is `toJsonSchema(schema)` of "@valibot/to-json-schema".',
      evidence: { tool: name, vendor },
    },
  )
}
