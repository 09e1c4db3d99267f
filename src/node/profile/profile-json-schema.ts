import { spelled } from "../../profile/check-keys.ts"
import type { Key, ValueType } from "../../profile/key.ts"
import { profileFileKeys } from "../../profile/profile-file-keys.ts"
import type { JsonSchema } from "../../tools/tool.ts"

/** JSON Schema (draft 7) of a profile's TOML file, for editors: types, bounds, defaults and a description of every key. */
export function profileJsonSchema(): JsonSchema {
  return {
    // Draft 7 is what editors' TOML extensions read.
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "promptstrata profile",
    ...schemaOf(profileFileKeys.type),
    description: profileFileKeys.words,
  }
}

function keySchema({ type, words, default: fallback, otherwise }: Key): JsonSchema {
  const isFixed = fallback !== undefined && otherwise === undefined
  return {
    description: otherwise === undefined ? words : `${words} Default: ${otherwise}.`,
    ...(isFixed ? { default: fallback } : {}),
    ...schemaOf(type),
  }
}

function schemaOf(type: ValueType): JsonSchema {
  switch (type.kind) {
    case "number":
      return {
        type: type.integer ? "integer" : "number",
        minimum: type.min,
        ...(type.max === undefined ? {} : { maximum: type.max }),
      }
    case "flag":
      return { type: "boolean" }
    case "choice":
      return { type: "string", enum: type.choices }
    case "text":
      return { type: "string", ...(type.form === undefined ? {} : { pattern: type.form.pattern }) }
    case "scalar":
      return { type: ["string", "boolean", "number"] }
    case "json":
      return { type: "object" }
    case "list":
      return { type: "array", items: described(type.of) }
    case "map":
      return mapSchema(type)
    case "table":
      return tableSchema(type)
    case "code":
      return {}
  }
}

function mapSchema({ of, names }: Extract<ValueType, { readonly kind: "map" }>): JsonSchema {
  if (names === undefined) return { type: "object", additionalProperties: described(of) }
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(of)])),
    additionalProperties: false,
  }
}

function tableSchema({ keys }: Extract<ValueType, { readonly kind: "table" }>): JsonSchema {
  const entries = Object.entries(keys).map(([name, key]) => ({ name: spelled(name, "file"), key }))
  const required = entries.filter(({ key }) => key.presence === "required").map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(({ name, key }) => [name, keySchema(key)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

function described(type: ValueType): JsonSchema {
  return type.kind === "table" ? { description: type.words, ...schemaOf(type) } : schemaOf(type)
}
