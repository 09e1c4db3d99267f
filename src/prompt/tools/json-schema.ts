import { attempt } from "../../core/errors.ts"
import { isRecord, listOf } from "../../core/json-access.ts"
import type { JsonSchema } from "./tool.ts"

/** True for an object, which a schema is; false for a list, a boolean and everything else. */
export function isSchema(value: unknown): value is JsonSchema {
  return isRecord(value)
}

/** Returns the name of a value's type as JSON Schema has it, except that whole numbers are `number`. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

/** Returns an own keyword of a schema. Inherited properties do not count. */
export function keyword(schema: JsonSchema, name: string): unknown {
  return Object.hasOwn(schema, name) ? schema[name] : undefined
}

/** Returns a keyword that holds a list, and an empty list for anything else. */
export function listKeyword(schema: JsonSchema, name: string): readonly unknown[] {
  return listOf(keyword(schema, name))
}

/** Returns the properties of an object schema in their order. */
export function propertiesOf(schema: JsonSchema): readonly { name: string; schema: unknown; required: boolean }[] {
  const properties = keyword(schema, "properties")
  if (!isSchema(properties)) return []
  const required = new Set(listKeyword(schema, "required"))
  return Object.entries(properties).map(([name, property]) => ({ name, schema: property, required: required.has(name) }))
}

/** Returns the target of a local reference (`#`, `#/$defs/Name`, …), or `undefined`. */
export function resolveReference(root: JsonSchema, reference: string): unknown {
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let found: unknown = root
  for (const segment of reference.slice(2).split("/")) {
    const key = pointerSegment(segment)
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[key]
  }
  return found
}

function pointerSegment(segment: string): string {
  const unescaped = segment.replaceAll("~1", "/").replaceAll("~0", "~")
  return attempt(() => decodeURIComponent(unescaped), unescaped)
}
