import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { CharacterTrait } from "../../layers/character/character-sheet.ts"
import type { TextSchema } from "../../tools/text-arguments.ts"

/** The arguments of a tool that changes traits: `{ changes: { mood: "happy" } }`; numbers and flags become text, null is empty. */
export function traitsSchema(description: string | undefined): TextSchema<readonly CharacterTrait[]> {
  const schema = {
    type: "object",
    properties: {
      changes: {
        type: "object",
        ...(description === undefined ? {} : { description }),
        additionalProperties: { type: "string" },
      },
    },
    required: ["changes"],
  }
  return {
    "~standard": {
      version: 1,
      vendor: "promptstrata",
      validate,
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

function validate(args: unknown): StandardSchemaV1.Result<readonly CharacterTrait[]> {
  const changes = isRecord(args) && Object.hasOwn(args, "changes") ? args.changes : undefined
  if (!isRecord(changes)) return { issues: [{ message: `expected object, received ${kindOf(changes)}`, path: ["changes"] }] }
  const issues: StandardSchemaV1.Issue[] = []
  const value = Object.entries(changes).map(([name, given]): CharacterTrait => {
    const text = given === null ? "" : typeof given === "number" || typeof given === "boolean" ? String(given) : given
    if (typeof text === "string") return [name, text]
    issues.push({ message: `expected string, received ${kindOf(text)}`, path: ["changes", name] })
    return [name, ""]
  })
  return issues.length > 0 ? { issues } : { value }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value
}
