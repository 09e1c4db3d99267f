import { printOtherProperties } from "./print-object.ts"
import { describedBy, printDefault, resolved } from "./print-property.ts"
import { kindsOf, printSchemaType } from "./print-schema-type.ts"
import type { TypePrinter } from "./printed-type.ts"
import { isSchema, listKeyword, propertiesOf } from "./schema-shape.ts"
import type { JsonSchema } from "./tool.ts"

/** The words a parameter list needs; they live in `prompts/`. */
export interface ParameterWords {
  /** Marks a parameter that may be left out, such as `optional`. */
  readonly optional: string
}

/** Far more than any tool has: schemas beyond it are printed by their kind only. */
const maxSchemas = 2_000

/** Parts of parts of the arguments' own schema that are looked into. */
const maxParts = 100

/**
 * A tool's parameters on one line, `p (type) - description, q (type = default, optional)` (T9); `""` for none. `encode` is applied
 * to every name, description, type name and enum value: identity for an author's schema, `encodeInline` for one that
 * came over a wire. Never throws, always ends.
 */
export function printParameters(
  schema: JsonSchema,
  words: ParameterWords,
  encode: (text: string) => string = (text) => text,
): string {
  const printer: TypePrinter = { root: schema, encode, remaining: maxSchemas }
  const wholes = wholesOf(schema)
  const named = new Map<string, string>()
  for (const { name, schema: property, required } of wholes.flatMap(propertiesOf)) {
    if (named.has(name)) continue
    const target = resolved(property, schema)
    const type = `${printTopType(target, printer)}${printDefault(property, printer)}`
    const description = describedBy(property, printer)
    const marks = required ? type : `${type}, ${words.optional}`
    named.set(name, `${encode(name)} (${marks})${description === "" ? "" : ` - ${description}`}`)
  }
  const print = (part: unknown) => ({ text: printSchemaType(part, printer), compound: false })
  const others = wholes.flatMap((whole) => [...printOtherProperties(whole, printer, print), ...printChoices(whole, printer)])
  return [...named.values(), ...others].join(", ")
}

/** The arguments' schema and what it is put together from: all of it holds at once. */
function wholesOf(schema: JsonSchema): readonly JsonSchema[] {
  const wholes = new Set<JsonSchema>([schema])
  for (const whole of wholes) {
    if (wholes.size > maxParts) break
    for (const part of [...listKeyword(whole, "allOf"), resolved(whole, schema)]) {
      const target = resolved(part, schema)
      if (isSchema(target)) wholes.add(target)
    }
  }
  return [...wholes]
}

/** Arguments of which one shape or another is meant: `{kind: a, …}|{kind: b, …}`. */
function printChoices(schema: JsonSchema, printer: TypePrinter): readonly string[] {
  return ["anyOf", "oneOf"].flatMap((name) => {
    const options = listKeyword(schema, name)
    const text = options.length === 0 ? "" : printSchemaType({ [name]: options }, printer)
    return ["", "any", "object"].includes(text) ? [] : [text]
  })
}

/** `string: a|b` for an enum, else the type. */
function printTopType(schema: unknown, printer: TypePrinter): string {
  const type = printSchemaType(schema, printer)
  const isEnum = isSchema(schema) && listKeyword(schema, "enum").length > 0
  return isEnum ? `${kindsOf(schema, printer).join("|")}: ${type}` : type
}
