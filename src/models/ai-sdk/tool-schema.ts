import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { PromptStrataError } from "../../core/errors.ts"
import type { JsonSchema, Tool } from "../../tools/tool.ts"
import { recordOf } from "../openai/json-access.ts"

/** A schema that the AI SDK takes: it checks arguments and says its JSON Schema. */
export interface AiSdkToolSchema {
  readonly "~standard": StandardSchemaV1.Props<unknown, Readonly<Record<string, unknown>>> &
    StandardJSONSchemaV1.Props<unknown, Readonly<Record<string, unknown>>>
}

/** A tool's schema for the AI SDK; the arguments are checked as in a turn, with defaults filled in. */
export function toolSchema(tool: Tool): AiSdkToolSchema {
  const jsonSchema = () => ({ ...tool.inputSchema })
  return {
    "~standard": {
      version: 1,
      vendor: "promptstrata",
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      async validate(value) {
        const checked = await tool.check(value)
        if (!checked.ok) return { issues: checked.issues.map((message) => ({ message })) }
        return { value: recordOf(checked.value) }
      },
    },
  }
}

/** A schema of the AI SDK, in either of the forms that `defineTool` takes. */
export function readToolSchema(name: string, given: unknown): { inputSchema?: StandardSchemaV1; jsonSchema?: JsonSchema } {
  const schema: unknown = typeof given === "function" && !("~standard" in given) ? given() : given
  if (schema === undefined || schema === null) return {}
  if (isStandard(schema)) return { inputSchema: schema }
  const { jsonSchema, validate } = recordOf(schema)
  if (typeof jsonSchema !== "object" || jsonSchema === null || "then" in jsonSchema) throw unreadable(name)
  return {
    jsonSchema: recordOf(jsonSchema),
    ...(typeof validate === "function" && { inputSchema: checkedBy((value) => validate.call(schema, value)) }),
  }
}

function isStandard(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema
}

/** The AI SDK's own way to check a value, as a Standard Schema. */
function checkedBy(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return {
    "~standard": {
      version: 1,
      vendor: "ai-sdk",
      async validate(value) {
        const { success, value: checked, error } = recordOf(await validate(value))
        return success === true
          ? { value: checked }
          : { issues: [{ message: error instanceof Error ? error.message : "invalid" }] }
      },
    },
  }
}

function unreadable(name: string): PromptStrataError {
  return new PromptStrataError("tool-definition", `The input schema of tool "${name}" does not say its JSON Schema at once.`, {
    hint: "Pass a Standard Schema such as zod's, or `jsonSchema({ … })` of the package `ai` with the schema itself instead of a promise.",
    evidence: { tool: name },
  })
}
