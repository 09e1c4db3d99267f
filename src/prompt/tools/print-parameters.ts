import type { TrustedText } from "../../core/value.ts"
import { encodeInline } from "../encode/inline.ts"
import { encodedText } from "../encode/marked-text.ts"
import { sanitiseJson } from "../encode/sanitise.ts"
import { isSchema, listKeyword, propertiesOf } from "./json-schema.ts"
import {
  describedBy,
  kindsOf,
  printDefault,
  printOtherProperties,
  printSchemaType,
  resolved,
  type TypePrinter,
} from "./print-schema-type.ts"
import type { JsonSchema, Tool } from "./tool.ts"
import type { ParameterWords } from "./tool-entry.ts"

/** The parameters of a tool as a prompt lists them, with the tool's trust, encoded. */
export function toolParameters({ inputSchema, trust }: Tool, words: ParameterWords): TrustedText {
  if (trust === "author") return encodedText(printParameters(inputSchema, words), trust)
  // A schema that came over a network is cleaned, and encoded name by name.
  const { value, ...removed } = sanitiseJson(inputSchema)
  return encodedText(printParameters(value, words, encodeInline), trust, removed)
}

/** Schemas after these are printed by their kind only. No real tool has so many. */
const maxSchemas = 2_000

/** Further parts of the top schema are left out. */
const maxParts = 100

/**
 * Prints a tool's parameters on one line, `p (type) - description, q (type = default, optional)` (T9), or `""` for none.
 * `encode` is applied to every name, description, type name and enum value: `encodeInline` for a schema that came over a
 * network. Never throws and always ends.
 */
export function printParameters(
  schema: JsonSchema,
  words: ParameterWords,
  encode: (text: string) => string = (text) => text,
): string {
  const printer: TypePrinter = { root: schema, encode, remaining: maxSchemas }
  const parts = partsOf(schema)
  const named = new Map<string, string>()
  for (const { name, schema: property, required } of parts.flatMap(propertiesOf)) {
    if (named.has(name)) continue
    const type = `${printTopType(resolved(property, schema), printer)}${printDefault(property, printer)}`
    const description = describedBy(property, printer)
    const marks = required ? type : `${type}, ${words.optional}`
    named.set(name, `${encode(name)} (${marks})${description === "" ? "" : ` - ${description}`}`)
  }
  const others = parts.flatMap((part) => [...printOtherProperties(part, printer), ...printChoices(part, printer)])
  return [...named.values(), ...others].join(", ")
}

/** Returns the top schema and everything that it includes by `allOf` and `$ref`: all of it holds. */
function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const parts = new Set<JsonSchema>([schema])
  for (const part of parts) {
    if (parts.size > maxParts) break
    for (const included of [...listKeyword(part, "allOf"), resolved(part, schema)]) {
      const target = resolved(included, schema)
      if (isSchema(target)) parts.add(target)
    }
  }
  return [...parts]
}

/** Prints the alternatives of a top schema: `{kind: a, …}|{kind: b, …}`. */
function printChoices(schema: JsonSchema, printer: TypePrinter): readonly string[] {
  return ["anyOf", "oneOf"].flatMap((name) => {
    const options = listKeyword(schema, name)
    const text = options.length === 0 ? "" : printSchemaType({ [name]: options }, printer)
    return ["", "any", "object"].includes(text) ? [] : [text]
  })
}

/** Prints an enum as `string: a|b` and everything else as its type. */
function printTopType(schema: unknown, printer: TypePrinter): string {
  const type = printSchemaType(schema, printer)
  const isEnum = isSchema(schema) && listKeyword(schema, "enum").length > 0
  return isEnum ? `${kindsOf(schema, printer).join("|")}: ${type}` : type
}
