import { z } from "zod"
import type { JsonSchema } from "../../prompt/tools/tool.ts"
import { profileFileSchema, schemaFacts } from "./profile-schema.ts"

/** JSON Schema (draft 7) of a profile's TOML file, for editors: types, bounds, defaults and a description of every key. */
export function profileJsonSchema(): JsonSchema {
  const { $schema, ...schema } = toJsonSchema((piece) => {
    const { description, otherwise } = piece
    if (otherwise === undefined) return
    delete piece.otherwise
    piece.description = `${description} Default: ${otherwise}.`
  })
  return { $schema, title: "promptstrata profile", ...schema }
}

/** The schema with everything that is known of each key; `change` may change each piece of it. */
export function toJsonSchema(change: (piece: z.core.JSONSchema.BaseSchema) => void = () => {}): JsonSchema {
  return z.toJSONSchema(profileFileSchema, {
    // Draft 7 is what editors' TOML extensions read.
    target: "draft-7",
    metadata: schemaFacts,
    override({ jsonSchema }) {
      // zod gives every whole number this bound, and says of every table that its keys are strings. Neither helps an editor.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      delete jsonSchema.propertyNames
      // A slash in a pattern needs no backslash outside of JavaScript.
      if (jsonSchema.pattern !== undefined) jsonSchema.pattern = jsonSchema.pattern.replaceAll("\\/", "/")
      change(jsonSchema)
    },
  })
}
