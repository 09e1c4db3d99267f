import { kindsOf, printSchemaType, type TypePrinter } from "./print-schema-type.ts"
import { isSchema, keyword, listKeyword, propertiesOf, resolveReference } from "./schema-shape.ts"
import type { JsonSchema } from "./tool.ts"

/** The words a parameter list needs; they live in `prompts/`. */
export interface ParameterWords {
  /** Marks a parameter that may be left out, such as `optional`. */
  readonly optional: string
}

/** Far more than any tool has: schemas beyond it are printed by their kind only. */
const maxSchemas = 2_000

/**
 * A tool's parameters on one line, `p (type) - description, q (type, optional)` (T9); `""` for none. `encode` is applied
 * to every name, description, type name and enum value: identity for an author's schema, `encodeInline` for one that
 * came over a wire. Never throws, always ends.
 */
export function printParameters(
  schema: JsonSchema,
  words: ParameterWords,
  encode: (text: string) => string = (text) => text,
): string {
  const printer: TypePrinter = { root: schema, encode, remaining: maxSchemas }
  return propertiesOf(schema)
    .map(({ name, schema: property, required }) => {
      const target = resolved(property, schema)
      const type = printTopType(target, printer)
      const description = describedBy(property) ?? describedBy(target)
      const marks = required ? type : `${type}, ${words.optional}`
      return `${encode(name)} (${marks})${description === undefined ? "" : ` - ${encode(description)}`}`
    })
    .join(", ")
}

/** `string: a|b` for an enum, else the type. */
function printTopType(schema: unknown, printer: TypePrinter): string {
  const type = printSchemaType(schema, printer)
  const isEnum = isSchema(schema) && listKeyword(schema, "enum").length > 0
  return isEnum ? `${kindsOf(schema, printer).join("|")}: ${type}` : type
}

/** What a property that is only a reference stands for. */
function resolved(schema: unknown, root: JsonSchema): unknown {
  if (!isSchema(schema)) return schema
  const reference = keyword(schema, "$ref")
  return typeof reference === "string" ? (resolveReference(root, reference) ?? schema) : schema
}

function describedBy(schema: unknown): string | undefined {
  const description = isSchema(schema) ? keyword(schema, "description") : undefined
  return typeof description === "string" && description.trim() !== "" ? description : undefined
}
