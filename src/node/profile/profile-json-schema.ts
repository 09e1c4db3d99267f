import { z } from "zod"
import type { Key, ValueType } from "../../profile/key.ts"
import { keyWords } from "../../profile/key-words.ts"
import type { JsonSchema } from "../../prompt/tools/tool.ts"
import { profileFileSchema, schemaKeys } from "./profile-schema.ts"

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
    metadata: schemaKeys,
    override({ jsonSchema }) {
      // zod gives every whole number this bound, and says of every table that its keys are strings. Neither helps an editor.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      delete jsonSchema.propertyNames
      // A slash in a pattern needs no backslash outside of JavaScript.
      if (jsonSchema.pattern !== undefined) jsonSchema.pattern = jsonSchema.pattern.replaceAll("\\/", "/")
      describe(jsonSchema)
      change(jsonSchema)
    },
  })
}

/** Puts the words of a schema's key in place of the key, and its default. */
function describe(piece: z.core.JSONSchema.BaseSchema): void {
  const { of } = piece as { readonly of?: Key | ValueType }
  if (of === undefined) return
  delete piece.of
  const { words, default: otherwise } = keyWords.get(of) ?? {}
  if (words !== undefined) piece.description = words
  if (otherwise !== undefined) piece.otherwise = otherwise
  else if ("default" in of && of.default !== undefined) piece.default = of.default
}
