import { printBounds } from "./print-bounds.ts"
import { printConstant } from "./print-constant.ts"
import { printObject } from "./print-object.ts"
import { grouped, type Printed, type TypePrinter, union } from "./printed-type.ts"
import { isSchema, keyword, listKeyword, resolveReference } from "./schema-shape.ts"
import type { JsonSchema } from "./tool.ts"

/** Deeper levels stand as `object` or `array`. */
const maxDepth = 6

const any: Printed = { text: "any", compound: false }

/**
 * A schema as a short type: `string`, `integer 0..10`, `string date-time`, `string[]`, `{a: string - what it is, b?: number = 3}`,
 * `a|b`, `[string, ...number[]]`. Never throws and always ends, on cyclic and malformed schemas too; what says nothing is `any`.
 */
export function printSchemaType(schema: unknown, printer: TypePrinter): string {
  return print(schema, printer, []).text
}

function print(schema: unknown, printer: TypePrinter, path: readonly unknown[]): Printed {
  if (schema === false) return { text: "never", compound: false }
  if (!isSchema(schema)) return any
  const full = path.length < maxDepth && printer.remaining > 0 && !path.includes(schema)
  if (!full) return union(kindsOf(schema, printer).map(plain))
  printer.remaining--
  const inner = (part: unknown): Printed => print(part, printer, [...path, schema])

  const reference = keyword(schema, "$ref")
  if (typeof reference === "string") return printReference(reference, printer, inner)
  if (Object.hasOwn(schema, "const")) return plain(printConstant(schema.const, printer))
  const choices = listKeyword(schema, "enum")
  if (choices.length > 0) return union(choices.map((choice) => plain(printConstant(choice, printer))))
  return printParts(schema, printer, inner)
}

/** What a schema says itself, and what its parts say: all of it holds. A bare kind adds nothing to parts that say more. */
function printParts(schema: JsonSchema, printer: TypePrinter, inner: (part: unknown) => Printed): Printed {
  const kinds = kindsOf(schema, printer)
  const own = union(kinds.map((kind) => printKind(kind, schema, printer, inner)))
  const bare = kinds.join("|")
  const options = [...listKeyword(schema, "anyOf"), ...listKeyword(schema, "oneOf")].map((option) =>
    inner(withType(option, schema)),
  )
  const parts = [union(options), ...listKeyword(schema, "allOf").map(inner)].filter(
    ({ text }) => text !== "" && text !== "any" && (text !== bare || bare === "any"),
  )
  const all = own.text === bare && parts.length > 0 && (bare === "any" || options.length > 0) ? parts : [own, ...parts]
  const distinct = [...new Map(all.map((part) => [part.text, part])).values()]
  const [only = any] = distinct
  return distinct.length < 2 ? only : { text: distinct.map(grouped).join(" & "), compound: true }
}

/** An option that only narrows, `{ minimum: 5 }`, is of the kind that stands around it. */
function withType(option: unknown, { type }: JsonSchema): unknown {
  const says = ["type", "$ref", "const", "enum", "anyOf", "oneOf", "allOf"]
  if (!isSchema(option) || type === undefined || says.some((name) => Object.hasOwn(option, name))) return option
  return { ...option, type }
}

/** The plain type names of a schema, such as `string` or `string|null` for an enum of both. */
export function kindsOf(schema: JsonSchema, printer: TypePrinter): readonly string[] {
  const names = namedKinds(schema, printer)
  return keyword(schema, "nullable") === true && !names.includes("any") ? [...new Set([...names, "null"])] : names
}

function namedKinds(schema: JsonSchema, printer: TypePrinter): readonly string[] {
  const type = keyword(schema, "type")
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string")
  if (types.length > 0) return [...new Set(types.map((name) => printer.encode(name)))]
  const choices = Object.hasOwn(schema, "const") ? [schema.const] : listKeyword(schema, "enum")
  if (choices.length > 0) return [...new Set(choices.map(kindOfConstant))]
  if (isSchema(keyword(schema, "properties")) || isSchema(keyword(schema, "patternProperties"))) return ["object"]
  if (Object.hasOwn(schema, "items") || Object.hasOwn(schema, "prefixItems")) return ["array"]
  return ["any"]
}

function printReference(reference: string, printer: TypePrinter, inner: (part: unknown) => Printed): Printed {
  const target = resolveReference(printer.root, reference)
  return target === undefined ? plain(printer.encode(reference.split("/").at(-1) || "any")) : inner(target)
}

/** Kinds that hold others; `dict` and `tuple` are what Python programs call them. */
function printKind(kind: string, schema: JsonSchema, printer: TypePrinter, inner: (part: unknown) => Printed): Printed {
  if (kind === "object" || kind === "dict") return plain(printObject(kind, schema, printer, inner))
  if (kind === "null" || kind === "boolean") return plain(kind)
  const held = kind === "array" || kind === "tuple" ? printArray(kind, schema, inner) : kind
  // A tuple says by its items how many there are.
  const bounds = held.startsWith("[") ? "" : printBounds(kind, schema, printer)
  return { text: `${held}${bounds}`, compound: bounds !== "" }
}

function printArray(kind: string, schema: JsonSchema, inner: (part: unknown) => Printed): string {
  const items = keyword(schema, "items")
  const tuple = [...listKeyword(schema, "prefixItems"), ...listKeyword(schema, "items")]
  const each = isSchema(items) ? `${grouped(inner(items))}[]` : ""
  if (tuple.length === 0) return each === "" ? kind : each
  return `[${[...tuple.map((item) => inner(item).text), ...(each === "" ? [] : [`...${each}`])].join(", ")}]`
}

function plain(text: string): Printed {
  return { text, compound: false }
}

function kindOfConstant(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}
