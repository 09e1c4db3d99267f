import { encodeJsonLine } from "../encode/inline.ts"
import { isSchema, keyword, listKeyword, propertiesOf, resolveReference } from "./schema-shape.ts"
import type { JsonSchema } from "./tool.ts"

/** What every schema of one parameter list is printed with. */
export interface TypePrinter {
  /** Where local references are looked up. */
  readonly root: JsonSchema
  /** Applied to every character that the schema's author chose. */
  readonly encode: (text: string) => string
  /** Schemas still to be printed in full; beyond them only kinds stand, so that no schema grows without end. */
  remaining: number
}

/** Deeper levels stand as `object` or `array`. */
const maxDepth = 6

/**
 * A schema as a short type: `string`, `string[]`, `{a: string, b?: number}`, `a|b`, `[string, number]`. Never throws and
 * always ends, on cyclic and malformed schemas too; what says nothing is `any`.
 */
export function printSchemaType(schema: unknown, printer: TypePrinter, path: readonly unknown[] = []): string {
  if (schema === false) return "never"
  if (!isSchema(schema)) return "any"
  const full = path.length < maxDepth && printer.remaining > 0 && !path.includes(schema)
  if (!full) return kindsOf(schema, printer).join("|")
  printer.remaining--
  const inner = (part: unknown): string => printSchemaType(part, printer, [...path, schema])

  const reference = keyword(schema, "$ref")
  if (typeof reference === "string") return printReference(reference, printer, inner)
  if (Object.hasOwn(schema, "const")) return printConstant(schema.const, printer)
  const choices = listKeyword(schema, "enum")
  if (choices.length > 0) return choices.map((choice) => printConstant(choice, printer)).join("|")
  const options = [...listKeyword(schema, "anyOf"), ...listKeyword(schema, "oneOf")]
  if (options.length > 0) return [...new Set(options.map(inner))].join("|")
  const parts = listKeyword(schema, "allOf")
  if (parts.length > 0 && keyword(schema, "type") === undefined) return [...new Set(parts.map(inner))].map(grouped).join(" & ")
  return kindsOf(schema, printer)
    .map((kind) => printKind(kind, schema, inner, printer))
    .join("|")
}

/** The plain type names of a schema, such as `string` or `string|null` for an enum of both. */
export function kindsOf(schema: JsonSchema, printer: TypePrinter): readonly string[] {
  const type = keyword(schema, "type")
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string")
  if (types.length > 0) return [...new Set(types.map((name) => printer.encode(name)))]
  const choices = Object.hasOwn(schema, "const") ? [schema.const] : listKeyword(schema, "enum")
  if (choices.length > 0) return [...new Set(choices.map(kindOfConstant))]
  if (isSchema(keyword(schema, "properties"))) return ["object"]
  if (Object.hasOwn(schema, "items") || Object.hasOwn(schema, "prefixItems")) return ["array"]
  return ["any"]
}

function printReference(reference: string, printer: TypePrinter, inner: (part: unknown) => string): string {
  const target = resolveReference(printer.root, reference)
  return target === undefined ? printer.encode(reference.split("/").at(-1) || "any") : inner(target)
}

/** Kinds that hold others; `dict` and `tuple` are what Python programs call them. */
function printKind(kind: string, schema: JsonSchema, inner: (part: unknown) => string, printer: TypePrinter): string {
  if (kind === "object" || kind === "dict") return printObject(kind, schema, inner, printer)
  if (kind === "array" || kind === "tuple") return printArray(kind, schema, inner)
  return kind
}

function printObject(kind: string, schema: JsonSchema, inner: (part: unknown) => string, printer: TypePrinter): string {
  const properties = propertiesOf(schema).map(
    ({ name, schema: property, required }) => `${printer.encode(name)}${required ? "" : "?"}: ${inner(property)}`,
  )
  const others = keyword(schema, "additionalProperties")
  if (properties.length === 0) return isSchema(others) ? `{[key]: ${inner(others)}}` : kind
  return `{${properties.join(", ")}}`
}

function printArray(kind: string, schema: JsonSchema, inner: (part: unknown) => string): string {
  const items = keyword(schema, "items")
  const tuple = [...listKeyword(schema, "prefixItems"), ...listKeyword(schema, "items")]
  if (tuple.length > 0) return `[${tuple.map(inner).join(", ")}]`
  return isSchema(items) ? `${grouped(inner(items))}[]` : kind
}

/** Parentheses where a type of several parts would fall apart. */
function grouped(type: string): string {
  return /[|&]/.test(type) && !/^\{.*\}$/s.test(type) ? `(${type})` : type
}

function printConstant(value: unknown, printer: TypePrinter): string {
  return typeof value === "string" ? printer.encode(value) : encodeConstant(value)
}

function encodeConstant(value: unknown): string {
  try {
    return encodeJsonLine(value)
  } catch {
    return "any"
  }
}

function kindOfConstant(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}
